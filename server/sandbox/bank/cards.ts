/**
 * The simulated bank's saved cards. A buyer saves a card on the bank's own page. After that it can be charged until it is
 * revoked.
 * Rule: a charge takes money each time that it is sent, and each charge is on the card's statement.
 */
import { z } from 'zod'
import { FAULT_NAMES } from '../../contract/faults.ts'
import { CurrencyCode } from '../../contract/fields.ts'
import { send } from '../faults.ts'
import type { Reply } from '../request.ts'
import type { SandboxBank } from './bank.ts'
import { CALLBACK_DELAY_MS } from './callbacks.ts'
import { after } from './ledger.ts'
import type { BankAddress, BankCallback, Outcome } from './order.ts'

/** What a buyer can choose on the card-saving page. */
export const CARD_OUTCOMES = [
  'saved',
  'saved_then_declines',
  'saved_then_hard_declines',
  'cancelled',
] as const
export type CardOutcome = (typeof CARD_OUTCOMES)[number]

/** The result of a charge for each kind of card. */
const CHARGED: Record<CardOutcome, { outcome: Outcome; decline?: 'soft' | 'hard' } | null> = {
  saved: { outcome: 'paid' },
  saved_then_declines: { outcome: 'declined', decline: 'soft' },
  saved_then_hard_declines: { outcome: 'declined', decline: 'hard' },
  cancelled: null,
}

const Saving = z.object({
  reference: z.string(),
  merchantName: z.string(),
  returnUrl: z.url(),
  /** Absent in cards that were stored before the bank had this field. */
  callbackUrl: z.url().optional(),
  expiresAt: z.iso.datetime(),
})
const Charge = z.object({
  reference: z.string(),
  merchantName: z.string(),
  amountMinor: z.int().min(1),
  currency: CurrencyCode,
  callbackUrl: z.url(),
  fault: z.enum(FAULT_NAMES).optional(),
})
const Card = Saving.extend({
  /** Null while the buyer has not chosen. */
  outcome: z.enum(CARD_OUTCOMES).nullable(),
  revoked: z.boolean(),
  /** How many callbacks the bank has written about this card. */
  told: z.int().default(0),
  /** Every charge that was sent, in order, and its result. */
  statement: z.array(
    Charge.pick({ reference: true, amountMinor: true, currency: true }).extend({
      at: z.iso.datetime(),
      taken: z.boolean(),
    }),
  ),
})
/** A card in the bank's records. */
export type Card = z.infer<typeof Card>

/** Where the bank stores its cards. `change` runs under the card's lock. It returns null when there is no such card. */
export type CardStore = {
  find(at: BankAddress): Promise<unknown>
  insert(at: BankAddress, card: Card): Promise<void>
  change(at: BankAddress, change: (stored: unknown) => CardPage): Promise<unknown>
}
/** A card as it is stored, with the callbacks that report the change. */
export type CardPage = { card: Card; callbacks: BankCallback[] }

export type SandboxCards = ReturnType<typeof createSandboxCards>

const read = (stored: unknown): Card | null => (stored === null ? null : Card.parse(stored))
const ok = (answer: object): Reply => ({ status: 200, text: JSON.stringify(answer) })
const UNKNOWN_CARD: Reply = { status: 404, text: '{}' }

type CardParts = { store: CardStore; bank: Pick<SandboxBank, 'charge' | 'address'> }

export function createSandboxCards(store: CardStore, bank: CardParts['bank']) {
  const office: CardParts = { store, bank }
  return {
    find: (at: BankAddress) => find(office, at),
    stateOf,

    /** Stores the buyer's choice. Only the first choice, within the time limit, counts. Returns null for an unknown card. */
    choose(at: BankAddress, outcome: CardOutcome, now: Date): Promise<Card | null> {
      const chosen = (card: Card) => (stateOf(card, now) === 'open' ? { ...card, outcome } : card)
      return change(office, at, chosen, now)
    },

    /** The buyer removes the card at the bank. Returns null for an unknown card. */
    giveUp(at: BankAddress, now: Date): Promise<Card | null> {
      const revoked = (card: Card) => (stateOf(card, now) === 'saved' ? { ...card, revoked: true } : card)
      return change(office, at, revoked, now)
    },

    /** Opens the page on which a buyer saves this card. */
    async open(at: BankAddress, sent: unknown): Promise<Reply> {
      const blank = { outcome: null, revoked: false, told: 0, statement: [] }
      await store.insert(at, { ...Saving.parse(sent), ...blank })
      return ok({
        url: `${bank.address}/cards/${encodeURIComponent(at.customer)}/${encodeURIComponent(at.reference)}`,
      })
    },

    status: async (at: BankAddress, now: Date): Promise<Reply> => answer(await find(office, at), now),

    revoke: async (at: BankAddress, now: Date): Promise<Reply> =>
      answer(await change(office, at, (current) => ({ ...current, revoked: true })), now),

    /** @throws Error when the response is lost */
    charge: (at: BankAddress, sent: unknown, now: Date) => charge(office, at, sent, now),
  }
}

async function find({ store }: CardParts, at: BankAddress): Promise<Card | null> {
  return read(await store.find(at))
}

/** `reportedAt`: the time of the change, if the bank reports the change to its customer. */
async function change(
  { store }: CardParts,
  at: BankAddress,
  act: (card: Card) => Card,
  reportedAt?: Date,
): Promise<Card | null> {
  const changed = await store.change(at, (stored) => {
    const before = Card.parse(stored)
    return pageOf(at, before, act(before), reportedAt)
  })
  return read(changed)
}

async function charge(office: CardParts, at: BankAddress, sent: unknown, now: Date): Promise<Reply> {
  const terms = Charge.parse(sent)
  const card = await find(office, at)
  const behaviour = card?.outcome && !card.revoked ? CHARGED[card.outcome] : null
  if (!behaviour) return ok({ result: 'refused', decline: 'hard', message: 'there is no such card' })
  const { outcome, decline } = behaviour
  const order = { ...terms, returnUrl: terms.callbackUrl, twoStep: false, ...(decline && { decline }) }
  const entry = await office.bank.charge(at.customer, order, outcome, now)
  const taken = entry.outcome === 'paid'
  const { reference, amountMinor, currency } = terms
  const line = { reference, amountMinor, currency, at: now.toISOString(), taken }
  await change(office, at, (current) => ({ ...current, statement: [...current.statement, line] }))
  const verdict = taken
    ? { result: 'done' }
    : { result: 'refused', decline: decline ?? 'soft', message: 'the bank declined' }
  return send(terms.fault, ok(verdict))
}

function answer(card: Card | null, now: Date): Reply {
  return card ? ok({ state: stateOf(card, now) }) : UNKNOWN_CARD
}

/** Reports what the buyer has done. The bank reports nothing that its customer has asked for, because the customer knows it. */
function pageOf(at: BankAddress, before: Card, card: Card, reportedAt: Date | undefined): CardPage {
  const { callbackUrl: url } = card
  if (reportedAt === undefined || url === undefined || card === before) return { card, callbacks: [] }
  const number = card.told + 1
  const body = JSON.stringify({
    reference: at.reference,
    event: `card_${stateOf(card, reportedAt)}`,
    at: reportedAt.toISOString(),
  })
  const callback = { ...at, number, url, body, dueAt: after(reportedAt, CALLBACK_DELAY_MS) }
  return { card: { ...card, told: number }, callbacks: [callback] }
}

export type CardState = 'open' | 'saved' | 'cancelled' | 'expired' | 'revoked'

function stateOf({ outcome, revoked, expiresAt }: Card, now: Date): CardState {
  if (revoked) return 'revoked'
  if (outcome) return outcome === 'cancelled' ? 'cancelled' : 'saved'
  return now < new Date(expiresAt) ? 'open' : 'expired'
}
