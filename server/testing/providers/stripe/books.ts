/** The simulator's records: the objects of each account as Stripe shows them, in memory, and what it will do later. */

import type Stripe from 'stripe'
import { type Agenda, plan, runDue } from '../simulator.ts'
import type { CardName } from './cards.ts'

/** The faults that an order's product name causes with the words `simulate NAME`. */
const FAULTS = [
  'wrong_amount',
  'wrong_currency',
  'late_paid',
  'waits_elsewhere',
  'underpaid',
  'expires_early',
  'refund_fails_later',
  'refund_fails_after_success',
  'refund_pending',
  'dispute_won',
  'dispute_lost',
  'dispute_part_lost',
  'inquiry',
  'duplicate_callback',
  'reversed_callbacks',
  'late_callback',
] as const
export type Fault = (typeof FAULTS)[number]

/** `style`: `thin` events only name their object. The events of such an endpoint have the prefix `v1.`. Absent: `snapshot`. */
export type WebhookEndpoint = {
  url: string
  secrets: string[]
  events: readonly string[]
  style?: 'snapshot' | 'thin'
}

export type Webhook = {
  dueAt: Date
  attempts: number
  endpoint: WebhookEndpoint
  body: string
  /** Held back until all other webhooks are sent. */
  isLast: boolean
}

export type SavedReply = { at: Date; request: string; status: number; body: string }

/**
 * Requests that are refused before anything is done. `endpoint`: as in ENDPOINTS. `times`: how many of them; absent: all.
 * `retryAfterSeconds`: of a 429.
 */
export type SimRefusal = {
  endpoint: RegExp
  status: 400 | 403 | 429
  code: string
  times?: number
  retryAfterSeconds?: number
}

/** One customer of Stripe, with only test money. */
export type Account = {
  id: string
  /**
   * False: what Stripe may show as null is null, such as the booking of a charge, which Stripe makes a while after the payment.
   */
  isFull: boolean
  /** Secret keys that work. */
  keys: Set<string>
  expiredKeys: Set<string>
  /** Endpoints for which its keys lack the permission, such as `POST refunds`. */
  forbidden: Set<string>
  refusals: SimRefusal[]
  /** False: Stripe has not activated it yet, so it takes no payments. */
  isActivated: boolean
  /** False: it has no business name, so it opens no Checkout Session. */
  hasName: boolean
  sessions: Map<string, Stripe.Checkout.Session>
  intents: Map<string, Stripe.PaymentIntent>
  setups: Map<string, Stripe.SetupIntent>
  charges: Map<string, Stripe.Charge>
  refunds: Map<string, Stripe.Refund>
  disputes: Map<string, Stripe.Dispute>
  methods: Map<string, Stripe.PaymentMethod>
  mandates: Map<string, Stripe.Mandate>
  customers: Set<string>
  bookings: Map<string, Stripe.BalanceTransaction>
  /** The card of each saved method, and what a session's intent is made of. */
  cards: Map<string, CardName>
  plans: Map<
    string,
    {
      capture: 'automatic' | 'manual'
      metadata: Record<string, string>
      description: string | null
      name: string
    }
  >
  replies: Map<string, SavedReply>
  endpoints: WebhookEndpoint[]
  webhooks: Webhook[]
  agenda: Agenda
}

/** A simulator's whole state. `nextId`: ids rise, so they sort by age. */
export type Books = {
  origin: string
  now(): Date
  nextId(prefix: string): string
  accounts: Map<string, Account>
}

export function openBooks(now: () => Date): Books {
  let ids = 0
  return {
    origin: '',
    now,
    nextId: (prefix) => `${prefix}_sim${String(++ids).padStart(12, '0')}`,
    accounts: new Map(),
  }
}

export function openAccount(books: Books, id: string, keys: readonly string[]): Account {
  const account: Account = {
    id,
    isFull: false,
    keys: new Set(keys),
    expiredKeys: new Set(),
    forbidden: new Set(),
    refusals: [],
    isActivated: true,
    hasName: true,
    sessions: new Map(),
    intents: new Map(),
    setups: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    methods: new Map(),
    mandates: new Map(),
    customers: new Set(),
    bookings: new Map(),
    cards: new Map(),
    plans: new Map(),
    replies: new Map(),
    endpoints: [],
    webhooks: [],
    agenda: [],
  }
  books.accounts.set(id, account)
  return account
}

export function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / 1_000)
}

export function later(books: Books, account: Account, ms: number, act: () => void): void {
  plan(account.agenda, books.now(), ms, act)
}

/** Does everything that is due. */
export function catchUp(books: Books, account: Account): void {
  runDue(account.agenda, books.now)
}

export function faultOf(account: Account, session: string | null): Fault | undefined {
  const [, name] = /simulate (\w+)/.exec(account.plans.get(session ?? '')?.name ?? '') ?? []
  return FAULTS.find((fault) => fault === name)
}

/** Returns the session to which an intent belongs. */
export function sessionOf(account: Account, intent: string): Stripe.Checkout.Session | undefined {
  return [...account.sessions.values()].find((session) => session.payment_intent === intent)
}
