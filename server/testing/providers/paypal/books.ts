/** The simulated PayPal's records: what each account has, and what PayPal does on its own over time. */
import type { Money } from '../../../providers/paypal/money.ts'
import { type Agenda, plan as planAt } from '../simulator.ts'
import type { Fault } from './faults.ts'
import type { Reply } from './reply.ts'

/** The buyer's card or bank account behind PayPal. */
export type Instrument = 'good' | 'declining'

export type SimCapture = {
  id: string
  status: 'COMPLETED' | 'DECLINED' | 'PENDING' | 'PARTIALLY_REFUNDED' | 'REFUNDED'
  /** Why it is pending. Empty: PayPal does not say. */
  reason: string
  amount: Money
  isFinal: boolean
  createdAt: Date
}
export type SimAuthorization = {
  id: string
  status: 'CREATED' | 'CAPTURED' | 'DENIED' | 'PARTIALLY_CAPTURED' | 'PENDING' | 'VOIDED'
  amount: Money
  createdAt: Date
  expiresAt: Date
}
export type SimRefund = {
  id: string
  captureId: string
  status: 'PENDING' | 'COMPLETED' | 'FAILED'
  amount: Money
  customId: string | undefined
  createdAt: Date
}
export type SimDispute = {
  id: string
  captureId: string
  status: 'WAITING_FOR_SELLER_RESPONSE' | 'RESOLVED'
  stage: 'INQUIRY' | 'CHARGEBACK'
  outcome: 'RESOLVED_SELLER_FAVOUR' | 'RESOLVED_BUYER_FAVOUR' | null
  amount: Money
  customId: string | undefined
  createdAt: Date
  updatedAt: Date
}
export type SimOrder = {
  id: string
  intent: 'CAPTURE' | 'AUTHORIZE'
  status: 'CREATED' | 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED'
  unit: {
    reference_id: string
    custom_id?: string | undefined
    invoice_id?: string | undefined
    description?: string | undefined
    amount: Money
  }
  pages: { returnUrl: string; cancelUrl: string; locale?: string | undefined } | null
  instrument: Instrument
  /** How often PayPal tried to take the money. */
  tries: number
  /** The issue with which a payment by a declining instrument is refused. Absent: INSTRUMENT_DECLINED. */
  refusal?: string
  /** The saved account that it was charged to. */
  vaultId: string | null
  createdAt: Date
  updatedAt: Date
  authorizations: SimAuthorization[]
  captures: SimCapture[]
  refunds: SimRefund[]
  fault: Fault | undefined
}
export type SimSetup = {
  id: string
  customerId: string
  status: 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'VAULTED'
  pages: { returnUrl: string; cancelUrl: string }
  instrument: Instrument
  createdAt: Date
}
export type SimToken = {
  id: string
  customerId: string
  instrument: Instrument
  setupId: string
  /** The issue with which a charge of a declining account is refused, or PAYER_ACTION_REQUIRED. Absent: INSTRUMENT_DECLINED. */
  refusal?: string
}
export type SimWebhook = { id: string; url: string; events: string[] }

/** An event as it is sent: a request to the webhook's address. */
export type Transmission = { url: string; headers: Record<string, string>; body: string }

export type SimAccount = {
  clientId: string
  secret: string
  accessTokens: Map<string, Date>
  webhooks: Map<string, SimWebhook>
  orders: Map<string, SimOrder>
  setups: Map<string, SimSetup>
  tokens: Map<string, SimToken>
  disputes: SimDispute[]
  events: { name: string; at: Date; event: object; captureId: string | undefined }[]
  /** Successful requests with a PayPal-Request-Id. */
  replays: Map<string, { at: Date; again: () => object }>
  /** Refused requests with a PayPal-Request-Id. */
  repeatedRefusals: Map<string, { at: Date; reply: Reply }>
  /** False: the app has no permission for disputes. */
  mayReadDisputes: boolean
  mayRefund: boolean
  /** False: PayPal has not granted it to save accounts. */
  maySave: boolean
  refusals: SimRefusal[]
}

/**
 * Requests that are refused before anything is done, such as `POST /v2/checkout/orders`. `times`: how many of them; absent: all.
 * `retryAfterSeconds`: of a 429.
 */
export type SimRefusal = {
  request: RegExp
  status: 403 | 422 | 429
  issue: string
  times?: number
  retryAfterSeconds?: number
}

export type World = {
  /** True: answers and events have every field that PayPal may show. False: only those without which they mean nothing. */
  isFull: boolean
  accounts: Map<string, SimAccount>
  agenda: Agenda
  now(): Date
  /** The address of this PayPal. */
  origin(): string
  send(transmission: Transmission): void
  newId(kind: string): string
}

export function createWorld(parts: Pick<World, 'now' | 'origin' | 'send'>): World {
  let made = 0
  return {
    ...parts,
    isFull: false,
    accounts: new Map(),
    agenda: [],
    newId: (kind) => `${kind}${String(++made).padStart(17 - kind.length, '0')}`,
  }
}

export function plan({ agenda, now }: World, afterMs: number, act: () => void): void {
  planAt(agenda, now(), afterMs, act)
}

/** PayPal's times have full seconds. Each change of an order gets a later time than the change before it. */
export function touch(world: World, order: SimOrder): void {
  const next = order.updatedAt.getTime() + 1_000
  order.updatedAt = new Date(Math.max(next, world.now().getTime()))
}

export function timeText(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z')
}
