/**
 * A row of the table of real servers: how it is started, and in each cell what a session with it must show.
 */
import type { ProtocolVersion } from "@treadle/protocol/era"
import type { JsonObject } from "@treadle/protocol/json"
import type { Answers } from "../../src/index.ts"
import type { ServerProgram } from "./serverProcess.ts"

/** Why a server cannot show something: it has no occasion for it, or does not do what it says. */
export class Cannot {
  readonly why: string
  constructor(why: string) {
    this.why = why
  }
}

/** The server does not say that it offers this: its list is empty, and asking for it fails before anything is sent. */
export const notOffered = "not offered"
export type NotOffered = typeof notOffered

/** A call of a tool. */
export interface ToolUse {
  readonly tool: string
  readonly args?: JsonObject
}

/** A call and the text of its result: all of it, or a pattern in it. */
export interface TextUse extends ToolUse {
  readonly text: string | RegExp
}

/** How a call that is given up ends. */
export interface GivenUp extends ToolUse {
  /** The server hears of it, or why it does not. */
  readonly heard: true | Cannot
}

/** A list and one entry of it. */
export interface Listed<Entry> {
  readonly all: ReadonlyArray<string>
  readonly one: Entry
}

/** A resource and its text. */
export interface Read {
  readonly uri: string
  readonly text: string | RegExp
}

/** A prompt with arguments, and the text of its first message. */
export interface Prompted {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  readonly text: string
}

/** An argument of a prompt, what was typed of it, and what completes it. */
export interface Completed {
  readonly prompt: string
  readonly argument: string
  readonly typed: string
  readonly chosen?: Readonly<Record<string, string>>
  readonly values: ReadonlyArray<string>
}

/** A list, and the call that changes it. */
export interface ListChanged extends ToolUse {
  readonly list: "tools" | "prompts" | "resources"
}

/** A resource, and the call that changes it. */
export interface Updated extends ToolUse {
  readonly uri: string
}

/** A call of which the server asks, what it is answered, and the text of the result. */
export interface Asked extends TextUse {
  readonly answers: Answers
}

/** The cells of a row. */
export interface Cells {
  readonly server: { readonly name: string; readonly version: string }
  /** The names of all tools. */
  readonly tools: ReadonlyArray<string>
  readonly call: TextUse
  readonly structured: ToolUse & { readonly value: JsonObject }
  readonly failed: TextUse
  /** A call, and how far it says that it is, in order. */
  readonly progress: (ToolUse & { readonly done: ReadonlyArray<number> }) | Cannot
  readonly givenUp: GivenUp | Cannot
  readonly resources: Listed<Read> | NotOffered
  readonly templates: Listed<Read> | NotOffered | Cannot
  readonly prompts: Listed<Prompted> | NotOffered
  readonly completed: Completed | NotOffered
  readonly listChanged: ListChanged | Cannot
  readonly updated: Updated | NotOffered | Cannot
  readonly asked: Asked | Cannot
}

/** One server over one transport in one revision. */
export interface Row extends ServerProgram {
  readonly name: string
  readonly transport: "stdio" | "HTTP" | "two endpoints"
  readonly version: ProtocolVersion
  /** The revision must be set, because the server speaks another one as well. */
  readonly pinned: boolean
  /** What ends with the session: the process, the open requests, or these and the compat session. */
  readonly ends: "process" | "requests" | "session"
  readonly cells: Cells
}
