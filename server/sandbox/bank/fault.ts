/** The faults of the simulated bank, and what they do to its responses. Durations in ms. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Fault } from '../../providers/sandbox/wire.ts'
import type { Reply } from '../request.ts'

export { FAULTS, type Fault } from '../../providers/sandbox/wire.ts'

export const SLOW_MS = 8_000

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

/** Returns whether this fault harms responses. */
export function harmsAnswers(fault: Fault | undefined): boolean {
  return fault !== undefined && fault in ON_THE_WAY
}

/** Returns the response as it arrives. The bank has already acted. @throws Error when nothing arrives */
export async function send(fault: Fault | undefined, reply: Reply): Promise<Reply> {
  return (fault && ON_THE_WAY[fault]?.(reply)) ?? reply
}
