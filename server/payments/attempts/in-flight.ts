/**
 * The questions that this process is asking now, and waiting for their results. A buyer often returns while the provider's callback is
 * still being handled: without the wait, the buyer would read that a payment waits which is paid a moment later.
 * Waiting holds no connection of the database, no lock and no place among the requests to the provider.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'

/** The longest wait. */
const WAIT_MAX_MS = 2_000
/** Another process may be asking, so the payment is read again after each step. */
const STEP_MS = 400
const WAITERS_MAX = 200
/** Anybody with the address of a payment can ask any number of times. */
const WAITERS_PER_NAME_MAX = 8

type World = { questions: Map<string, Set<Promise<unknown>>>; waiters: Map<string, number> }
const worlds = new WeakMap<Context['db'], World>()

function worldOf({ db }: Context): World {
  const known = worlds.get(db) ?? { questions: new Map(), waiters: new Map() }
  worlds.set(db, known)
  return known
}

/** The name of the questions about a payment's attempt. */
export const nameOf = ({ id, attempt: { number: attempt } }: AttemptedPayment) => `${id} ${attempt}`

/** Others can wait for `question` until it has ended. `name`: what it is about. */
export async function runSharedQuestion<Result>(
  ctx: Context,
  name: string,
  question: () => Promise<Result>,
): Promise<Result> {
  const { questions } = worldOf(ctx)
  const own = questions.get(name) ?? new Set()
  questions.set(name, own)
  const running = question()
  own.add(running)
  try {
    return await running
  } finally {
    own.delete(running)
    if (own.size === 0) questions.delete(name)
  }
}

type Waiting<Seen> = {
  name: string
  /** Reads what is asked about again. */
  reread(): Promise<Seen>
  /** Whether the result is there. */
  isDecided(seen: Seen): boolean
  /** Another process is at work, so the wait goes on although this process asks nothing. */
  isElsewhere?: boolean
}

/** Returns what is asked about once the result of somebody else's question is there, at the latest after two seconds. */
export async function waitForResult<Seen>(
  ctx: Context,
  seen: Seen,
  { name, reread, isDecided, isElsewhere = false }: Waiting<Seen>,
): Promise<Seen> {
  const { questions, waiters } = worldOf(ctx)
  const hasQuestion = () => isElsewhere || questions.has(name)
  const others = waiters.get(name) ?? 0
  const all = [...waiters.values()].reduce((sum, count) => sum + count, 0)
  if (!hasQuestion() || others >= WAITERS_PER_NAME_MAX || all >= WAITERS_MAX) return seen
  waiters.set(name, others + 1)
  try {
    let now = seen
    for (let steps = 0; steps < WAIT_MAX_MS / STEP_MS && hasQuestion() && !isDecided(now); steps++) {
      await stepOrEnd([...(questions.get(name) ?? [])])
      now = await reread()
    }
    return now
  } finally {
    const left = (waiters.get(name) ?? 1) - 1
    if (left > 0) waiters.set(name, left)
    else waiters.delete(name)
  }
}

/** Waits until one of the questions has ended, at most for one step. */
async function stepOrEnd(questions: Promise<unknown>[]): Promise<void> {
  const end = new AbortController()
  const step = sleep(STEP_MS, undefined, { signal: end.signal }).catch(() => {})
  await Promise.race([step, ...questions.map((question) => question.catch(() => {}))])
  end.abort()
}
