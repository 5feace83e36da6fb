/** What can go wrong at the simulated bank, and how an answer of its fares on the way. Durations in ms. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Metadata } from '../../../contract/fields.ts'

export const FAULTS = [
  'answer_lost',
  'slow',
  'http500_after',
  'malformed',
  'wrong_amount',
  'wrong_currency',
  'late_paid',
  'duplicate_callback',
  'reversed_callbacks',
  'refund_fails_later',
  'dispute_won',
  'dispute_lost',
  // Of the fiscal service; the bank itself does nothing with it.
  'receipt_fails_once',
] as const
export type Fault = (typeof FAULTS)[number]

export const SLOW_MS = 8_000

/** The fault that a payment's own data summons; other words in its place mean nothing. */
export function summonedBy(metadata: Metadata | null): Fault | undefined {
  return FAULTS.find((fault) => fault === metadata?.sandboxFault)
}

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
