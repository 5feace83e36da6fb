/** What can go wrong at the simulated bank, and how an answer of its fares on the way. Durations in ms. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../wire.ts'

export { FAULTS, type Fault } from '../wire.ts'

export const SLOW_MS = 8_000

/** An answer as it goes over the wire. */
export type Reply = { status: number; text: string }

const ON_THE_WAY: Partial<Record<Fault, (reply: Reply) => Promise<Reply>>> = {
  async answer_lost() {
    throw new Error('the connection to the bank was lost')
  },
  async slow(reply) {
    await sleep(SLOW_MS, undefined, { ref: false })
    return reply
  },
  async http500_after() {
    return { status: 500, text: '<h1>Internal Server Error</h1>' }
  },
  async malformed({ status, text }) {
    return { status, text: text.slice(0, text.length / 2) }
  },
}

/** Whether it harms answers on their way. */
export function harmsAnswers(fault: Fault | undefined): boolean {
  return fault !== undefined && fault in ON_THE_WAY
}

/** What arrives of an answer. By now the bank has acted. @throws Error when nothing arrives */
export async function send(fault: Fault | undefined, reply: Reply): Promise<Reply> {
  return (fault && ON_THE_WAY[fault]?.(reply)) ?? reply
}
