/**
 * How long an account's provider may take to answer, by class of call: as its driver or the service has it, unless the operator sets
 * something else for this account.
 * Rule: a limit that is set is at most half as long as the claim under which the call is made. So nobody else begins the same work
 * while a call is under way.
 */
import type { Account } from '../providers/registry.ts'

/** The name of the setting. */
export const CALL_TIMEOUT = 'CALL_TIMEOUT'

type Written = Account['callTimeouts']
type CallClass = keyof Written

/** In seconds. The shortest claim that has a fixed length is twice as long as the longest limit. */
export const CALL_TIMEOUT_BOUNDS: Record<CallClass, { least: number; most: number }> = {
  question: { least: 1, most: 15 },
  opening: { least: 5, most: 30 },
  writing: { least: 5, most: 30 },
}
export const LONGEST_WRITE_MS = CALL_TIMEOUT_BOUNDS.writing.most * 1_000

const QUESTION_REQUEST_TIMEOUT_MS = 5_000
export const OPENING_TIMEOUT_MS = 20_000
/** Of a refund, a capture, a void and a charge. */
export const WRITE_TIMEOUT_MS = 20_000

const PART = /^(question|opening|writing) (\d{1,2})$/

/** Reads the setting. Null: the text is not valid. */
export function readCallTimeouts(text: string): Written | null {
  const timeouts: Written = {}
  for (const part of text.split(',')) {
    const [, calls, digits] = PART.exec(part.trim()) ?? []
    const { least, most } = CALL_TIMEOUT_BOUNDS[calls as CallClass] ?? {}
    const seconds = Number(digits)
    if (least === undefined || most === undefined || (calls as CallClass) in timeouts) return null
    if (seconds < least || seconds > most) return null
    timeouts[calls as CallClass] = seconds
  }
  return timeouts
}

/** The limits for `callProvider`. `usualMs`: where the account has no limit of its own. `leaseMs`: the claim that covers the call. */
export function limitsOfCall(
  { callTimeouts }: Pick<Account, 'callTimeouts'>,
  calls: 'opening' | 'writing',
  { usualMs, leaseMs }: { usualMs: number; leaseMs?: number },
): { timeoutMs: number; requestTimeoutMs?: number } {
  const seconds = callTimeouts[calls]
  if (seconds === undefined) return { timeoutMs: usualMs }
  const timeoutMs = Math.min(seconds * 1_000, (leaseMs ?? Number.POSITIVE_INFINITY) / 2)
  return { timeoutMs, requestTimeoutMs: timeoutMs }
}

/** Returns how long one request of a question to this account's provider may take. */
export function questionTimeoutOf({
  driver,
  callTimeouts,
}: Pick<Account, 'driver' | 'callTimeouts'>): number {
  const { question } = callTimeouts
  return question === undefined ? (driver.questionTimeoutMs ?? QUESTION_REQUEST_TIMEOUT_MS) : question * 1_000
}

/** `source`: who has set the limit. `service`: nobody has, so it is the usual one. */
export type CallTimeoutFact = { calls: CallClass; seconds: number; source: 'settings' | 'driver' | 'service' }

/** Returns the limits of an account for people. */
export function callTimeoutsOf(account: Account): CallTimeoutFact[] {
  const { driver, callTimeouts } = account
  const source = (calls: CallClass) => (callTimeouts[calls] === undefined ? 'service' : 'settings')
  const seconds = (calls: 'opening' | 'writing', usualMs: number) =>
    limitsOfCall(account, calls, { usualMs }).timeoutMs / 1_000
  const ofDriver = callTimeouts.question === undefined && driver.questionTimeoutMs !== undefined
  return [
    {
      calls: 'question',
      seconds: questionTimeoutOf(account) / 1_000,
      source: ofDriver ? 'driver' : source('question'),
    },
    { calls: 'opening', seconds: seconds('opening', OPENING_TIMEOUT_MS), source: source('opening') },
    { calls: 'writing', seconds: seconds('writing', WRITE_TIMEOUT_MS), source: source('writing') },
  ]
}
