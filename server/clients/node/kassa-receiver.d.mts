/** The types of kassa-receiver.mjs. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DatabaseSync } from 'node:sqlite'
import type { Asked, Payment } from './kassa.d.mts'

export type Task = 'DELIVER' | 'ASK A PERSON' | 'NOTE'
export type Receiver = {
  /** Stores the event. Returns the status and the text of the answer. The work begins after it. */
  take(
    rawBody: Uint8Array | string | null | undefined,
    headers: Record<string, unknown>,
  ): { status: number; text: string }
  /** Reads the request and answers it, for node:http. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<unknown>
  /** Handles all payments that are pending. It also runs by itself. */
  work(): Promise<void>
  close(): void
}
export declare function openReceiver(settings: {
  findOrder(payment: Payment): Asked | null | undefined | Promise<Asked | null | undefined>
  addTask?(about: { db: DatabaseSync; task: Task; payment: Payment; sequence: number; why: string }): void
  secrets?: string | string[]
  database?: string
  retrySeconds?: number
}): Receiver
