// What BooCode's clients say to headsup and hear from it. Written by a test of headsup from
// its own types: do not edit.

/**
 * An agent in a chat.
 */
export type AgentStatus = "working" | "blocked" | "idle" | "error";

/**
 * The body of `POST /api/coder/agent-status`.
 */
export type AgentStatusReport = { 
/**
 * The agent in the chat.
 */
agent: string, chat_id: string, 
/**
 * The vendor's name of the event.
 */
eventType: string, 
/**
 * What a `Notification` is about.
 */
notificationType?: string, };

/**
 * The answer to it.
 */
export type ReportAnswer = { 
/**
 * What the agent is now; null where the event says nothing of that.
 */
status: AgentStatus | null, 
/**
 * It had come before.
 */
duplicate?: boolean, };

/**
 * What an agent in a chat is now.
 */
export type AgentStatusUpdate = { chat_id: string, agent: string, status: AgentStatus, 
/**
 * What the four words do not tell apart, in words of our own.
 */
reason?: string, 
/**
 * Since when, RFC 3339 UTC with milliseconds.
 */
at: string, };

/**
 * A frame of the web socket.
 */
export type AgentFrame = { "type": "agent_status_updated" } & AgentStatusUpdate;
