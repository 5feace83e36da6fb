/** The proof of a payment's status: its cause, and the numbers under which a bank finds the payment. */

import type { AttemptFacts } from '../../payments/attempts/attempt.ts'
import { referenceIn } from '../../payments/decisions/bank-reference.ts'
import type { Cause } from '../../storage/payments/payment-changes.ts'
import type { Timeline } from '../payment-timeline.ts'

/** `name`: of the person, for `operator`. */
export type ProvedBy = { kind: 'answer' | 'callback' | Exclude<Cause, 'provider'>; name: string | null }

/** Returns what the money of the payment is known from, or, where none has moved, its status. Null while nothing has happened. */
export function knownFrom({ payment, entries, changes }: Timeline): ProvedBy | null {
  const money = entries.find(
    ({ kind, attempt }) => attempt === payment.ownAttempt && (kind === 'taken' || kind === 'held'),
  )
  if (money) return readProof(money.proof)
  const last = changes.findLast(({ fromStatus, toStatus }) => fromStatus !== toStatus)
  if (!last || (last.cause === 'request' && payment.status !== 'cancelled')) return null
  return { kind: last.cause === 'provider' ? 'answer' : last.cause, name: last.actor }
}

/** An entry says by what it was proved: `answer`, `callback`, `operation <id>`, `operator <name>`, or another cause. */
function readProof(proof: string): ProvedBy {
  const [kind = '', ...rest] = proof.split(' ')
  if (kind === 'operator') return { kind, name: rest.join(' ') || null }
  if (kind === 'callback' || kind === 'operation' || kind === 'expiry' || kind === 'request')
    return { kind, name: null }
  return { kind: 'answer', name: null }
}

/** Returns the number that the bank knows the payment by: of a card payment, or of a transfer that a person has confirmed. */
export function bankReferenceOf({ payment, changes }: Timeline): string | null {
  const facts = payment.attempt.facts as AttemptFacts | null
  if (facts?.rrn) return facts.rrn
  const confirmed = changes.find(
    ({ cause, detail }) => cause === 'operator' && detail !== null && referenceIn(detail),
  )
  return confirmed?.detail ? referenceIn(confirmed.detail) : null
}
