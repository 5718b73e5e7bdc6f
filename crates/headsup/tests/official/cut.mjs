// The official client, whose limit for calls is over at the first line of its standard input: it asks a person by our
// tool, cuts the call off and says so; at the next line it asks the same again. What it is answered it prints as JSON.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [, , sdk, era, binary] = process.argv;
const { Client } = await import(pathToFileURL(sdk));
const { StdioClientTransport } = await import(new URL("stdio.mjs", pathToFileURL(sdk)));

const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
const client = new Client({ name: "official", version: "1" }, { versionNegotiation: { mode } });
const env = { ...process.env };
await client.connect(new StdioClientTransport({ command: binary, args: ["mcp"], env }));
const ask = {
  name: "request_input",
  arguments: { question: "Which colour?", default_action: "take Red", wait_seconds: 300 },
};
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const limit = new AbortController();
const asked = client.callTool(ask, { signal: limit.signal }).catch((error) => error);
await lines.next();
limit.abort("the limit is over");
console.log(JSON.stringify({ error: String(await asked) }));
await lines.next();
console.log(JSON.stringify(await client.callTool(ask)));
await client.close();
process.exit();
