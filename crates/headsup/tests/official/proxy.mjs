// Adds who calls to each request: the official programs have no way to say it. Names and origins of
// others go through as they came.
import http from "node:http";

const [, , target, token, agent] = process.argv;
const to = new URL(target);
const server = http.createServer((request, response) => {
  const own = (text) => text?.replace(/(127\.0\.0\.1|localhost):(\d+)$/, (whole, _, port) =>
    Number(port) === server.address().port ? to.host : whole);
  const headers = { ...request.headers, authorization: `Bearer ${token}`, "x-headsup-agent": agent };
  headers.host = own(headers.host);
  if (headers.origin) headers.origin = own(headers.origin);
  const { method, url: path } = request;
  const out = http.request({ host: to.hostname, port: to.port, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  out.on("error", () => response.destroy());
  response.on("close", () => out.destroy());
  request.pipe(out);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
