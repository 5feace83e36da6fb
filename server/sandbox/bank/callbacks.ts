/**
 * The simulated bank's callbacks. Each is stored together with the order or card that it is about, and sent when it is due, at
 * most three times.
 */
import { SIGNATURE_HEADER } from '../../providers/sandbox/wire.ts'
import { hooksOf } from '../faults.ts'
import { after, nextDeed, type OrderChange } from './ledger.ts'
import type { BankCallback, BankPage, BankStore, ClaimedCallback } from './order.ts'

/** Usually the buyer returns sooner. */
export const CALLBACK_DELAY_MS = 3_000
const ATTEMPTS_MAX = 3
const RETRY_MS = 30_000
const ANSWER_WITHIN_MS = 10_000
const LEASE_MS = 60_000
const BATCH = 20

/** Sends the bank's requests. Every `kind` except `answered` is a failure. */
export type Post = (
  url: string,
  letter: { headers: Record<string, string>; body: string; timeoutMs: number },
) => Promise<{ kind: 'answered'; statusCode: number } | { kind: 'failed' }>

/** Returns a change as a page of the records, with the callbacks that report it. */
export function pageOf({ entry, reports }: OrderChange): BankPage {
  const { callbackUrl: url, customer, reference, fault, told } = entry
  const due = nextDeed(entry)?.at
  const dueAt = due === undefined ? null : new Date(due)
  if (url === undefined) return { entry, dueAt, callbacks: [] }
  const letters = hooksOf(fault).callbacks?.(reports, entry) ?? reports
  const callbacks = letters.map(({ event, at, delayMs = 0 }, index): BankCallback => {
    const number = told + index + 1
    const body = JSON.stringify({ reference, event, at: at.toISOString() })
    return { customer, reference, number, url, body, dueAt: after(at, CALLBACK_DELAY_MS + delayMs) }
  })
  return { entry: { ...entry, told: told + callbacks.length }, dueAt, callbacks }
}

/** `sign`: signs with the secrets of a customer. */
type Sender = { sign(customer: string, body: string): Promise<string>; post: Post; now: Date }
export type RunPiece = <T>(piece: () => Promise<T>) => Promise<T>

/** Sends what is due, all at once unless `run` delays it. Returns how many. */
export async function sendCallbacks(
  store: BankStore,
  { run, now, ...sender }: Sender & { run: RunPiece },
): Promise<number> {
  const due = await store.claimCallbacks(now, after(now, LEASE_MS), BATCH)
  await Promise.all(due.map((callback) => run(() => sendOne(store, callback, { ...sender, now }))))
  return due.length
}

async function sendOne(
  store: BankStore,
  callback: ClaimedCallback,
  { sign, post, now }: Sender,
): Promise<void> {
  const { customer, url, body, attempts } = callback
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: await sign(customer, body) }
  const answer = await post(url, { headers, body, timeoutMs: ANSWER_WITHIN_MS })
  const statusCode = answer.kind === 'answered' ? answer.statusCode : null
  const over = (statusCode !== null && statusCode >= 200 && statusCode < 300) || attempts >= ATTEMPTS_MAX
  await store.noteCallback(callback, { statusCode, dueAt: over ? null : after(now, RETRY_MS) })
}
