// The official client: it asks a person by our tool, and answers the form that it is shown as a person before
// it would, by the schema that comes with it. What it was shown and told it prints as JSON.
import { pathToFileURL } from "node:url";

const [, , sdk, era, action, way, ...words] = process.argv;
const { Client, StreamableHTTPClientTransport } = await import(pathToFileURL(sdk));
const stdio = new URL("stdio.mjs", pathToFileURL(sdk));
const { StdioClientTransport } = await import(stdio);

const client = new Client({ name: "official", version: "1" }, {
  capabilities: { elicitation: { form: {} } },
  versionNegotiation: { mode: era === "legacy" ? "legacy" : { pin: "2026-07-28" } },
});
const shown = [];
client.setRequestHandler("elicitation/create", ({ params }) => {
  shown.push(params);
  const [[name, field]] = Object.entries(params.requestedSchema.properties);
  return action === "accept" ? { action, content: { [name]: field.enum[1] } } : { action };
});
const transport = way === "http"
  ? new StreamableHTTPClientTransport(new URL(words[0]))
  : new StdioClientTransport({ command: words[0], args: ["mcp"], env: { ...process.env } });
await client.connect(transport);
await client.listTools();
const result = await client.callTool({
  name: "request_input",
  arguments: { question: "Which colour?", default_action: "take Red", options: ["Red", "Blue"] },
});
console.log(JSON.stringify({ version: client.getNegotiatedProtocolVersion?.(), shown, result }));
await client.close();
