// A client of BooCode's that knows nothing of headsup but its types.
import type { AgentFrame, AgentStatus, AgentStatusReport, AgentStatusUpdate, ReportAnswer } from "./boocode";
import { answers, frames, reports } from "./samples";

export function colour(status: AgentStatus): string {
  switch (status) {
    case "working":
      return "blue";
    case "blocked":
      return "amber";
    case "idle":
      return "grey";
    case "error":
      return "red";
    default: {
      // There is no other word.
      const none: never = status;
      return none;
    }
  }
}

export function seen(latest: Map<string, AgentStatusUpdate>, text: string): void {
  const frame = JSON.parse(text) as AgentFrame;
  if (frame.type === "agent_status_updated") {
    latest.set(`${frame.chat_id}/${frame.agent}`, frame);
    const since: number = Date.parse(frame.at);
    const why: string = frame.reason ?? "";
    console.log(colour(frame.status), since, why);
  }
}

export async function report(body: AgentStatusReport): Promise<AgentStatus | null> {
  const answer = await fetch("/api/coder/agent-status", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const said = (await answer.json()) as ReportAnswer;
  return said.status;
}

export const all: [AgentFrame[], AgentStatusReport[], ReportAnswer[]] = [frames, reports, answers];

void report({ agent: "coder", chat_id: "c-1", eventType: "Notification", notificationType: "idle_prompt" });

// What is wrong is found: the compiler complains where it finds nothing to complain of here.
// @ts-expect-error
export const noSuchStatus: AgentStatus = "done";
// @ts-expect-error
export const noSuchFrame: AgentFrame["type"] = "agent_status_changed";
// @ts-expect-error
export const noChat: AgentStatusReport = { agent: "coder", eventType: "Stop" };
// @ts-expect-error
export const aNumber: AgentStatusReport = { agent: "coder", chat_id: 1, eventType: "Stop" };
// @ts-expect-error
export const noTime: AgentFrame = { type: "agent_status_updated", chat_id: "c", agent: "a", status: "idle" };
// @ts-expect-error
export const noAnswer: ReportAnswer = {};
