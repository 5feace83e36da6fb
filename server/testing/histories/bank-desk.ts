/** The simulated bank in the random histories, with records in memory. It also pays late, after it has declined. */
import { answerBankRequest } from '../../sandbox/bank/api.ts'
import { createSandboxBank, type SandboxBank } from '../../sandbox/bank/bank.ts'
import { type Post, pageOf } from '../../sandbox/bank/callbacks.ts'
import { createSandboxCards, type SandboxCards } from '../../sandbox/bank/cards.ts'
import { createCustomers } from '../../sandbox/bank/customers.ts'
import { catchUp, type OrderChange } from '../../sandbox/bank/ledger.ts'
import {
  type BankAddress,
  type BankCallback,
  BankEntry,
  type BankPage,
  type BankStore,
  isClosed,
} from '../../sandbox/bank/order.ts'
import { type Kind, openDoor } from './door.ts'
import type { Arrival, Reply } from './serve.ts'
import { type Desk, type Standing, sumOf } from './standing.ts'

export const BANK_CUSTOMER = 'kassa'
/** After the expiry of a session. */
const LATE_MS = 3 * 3_600_000
const KEY = Buffer.alloc(32, 9)
export const BANK_SECRET = createCustomers({ find: async () => null, raise: async () => {} }, KEY).secretOf(
  BANK_CUSTOMER,
)

function kindOf({ method, url }: Arrival): Kind | null {
  if (method === 'GET') return 'read'
  return method === 'PUT' ? 'open' : url.includes('/api/') ? 'write' : null
}

type Waiting = Omit<BankCallback, 'dueAt'> & { dueAt: Date | null; attempts: number }
type Bank = {
  entries: Map<string, BankEntry>
  cards: Map<string, object>
  waiting: Waiting[]
  bank: SandboxBank
  office: SandboxCards
  now: () => Date
  letters: 'deliver' | 'lose' | 'twice'
}

export async function openBankDesk(now: () => Date): Promise<Desk> {
  const bank = { now, letters: 'deliver' } as Bank
  const door = await openDoor(now, { kindOf, answer: (arrival) => answer(bank, arrival), twist })
  const reset = async () => {
    await door.reset()
    Object.assign(bank, { entries: new Map(), cards: new Map(), waiting: [], letters: 'deliver' })
    const versions = new Map<string, { oldest: number; newest: number }>()
    const books = {
      find: async (customer: string) => versions.get(customer) ?? null,
      raise: async (customer: string, raised: { oldest: number; newest: number }) =>
        void versions.set(customer, raised),
    }
    const customers = createCustomers(books, KEY)
    const post: Post = async (url, letter) => postAs(bank, url, letter)
    bank.bank = createSandboxBank(bankBooks(bank), { customers, address: `${door.origin}/bank`, post })
    bank.office = createSandboxCards(cardBooks(bank), bank.bank)
  }
  await reset()
  return { name: 'bank', door, origin: door.origin, reset, ...deedsOf(bank) }
}

async function postAs(
  bank: Bank,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
) {
  // The bank had called the order declined, so nobody asks about it any more: its letter is the only word of its late money.
  const { reference } = JSON.parse(body)
  const isLate = bank.entries.get(reference)?.fault === 'late_paid'
  if (bank.letters === 'lose' && !isLate) return { kind: 'answered', statusCode: 200 } as const
  const send = async () => {
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
    await answer.text()
    return answer.status
  }
  if (bank.letters === 'twice') await send()
  return { kind: 'answered', statusCode: await send() } as const
}

async function answer({ bank, office, now }: Bank, { method, url, headers, body }: Arrival): Promise<Reply> {
  const path = url.replace(/^\/bank\/api/, '').replace(/\?.*$/s, '')
  const sent = { method, path, headers, body: Buffer.from(body) }
  const { status, text } = await answerBankRequest({ bank, cards: office }, sent, now())
  return { status, headers: { 'content-type': 'application/json' }, body: text }
}

/** What a bank with several computers says: a list that has an entry twice, or a sum that is behind its list. */
function twist(text: string, what: 'listed_twice' | 'sum_late'): string {
  const picture = JSON.parse(text) as {
    refunds?: { key?: string; state: string; amountMinor: number }[]
    refundedMinor?: number
  }
  const { refunds = [], refundedMinor = 0 } = picture
  const ours = refunds.filter(({ key, state }) => key !== undefined && state === 'done')
  const last = ours.at(-1)
  if (!last) return text
  if (what === 'listed_twice') return JSON.stringify({ ...picture, refunds: [...refunds, last] })
  return JSON.stringify({ ...picture, refundedMinor: refundedMinor - last.amountMinor })
}

function standingOf(entry: BankEntry): Standing {
  const { reference, amountMinor, currency, authorizedMinor, capturedMinor, reversed, refunds, disputes } =
    entry
  return {
    desk: 'bank',
    account: entry.customer,
    reference,
    amountMinor,
    currency,
    payable: !isClosed(entry),
    underWay: false,
    heldMinor: capturedMinor > 0 || reversed ? 0 : authorizedMinor,
    capturedMinor,
    voided: reversed,
    refunds: refunds.map(({ key = null, amountMinor: refundMinor, state }) => ({
      amountMinor: refundMinor,
      state,
      key,
    })),
    lostMinor: sumOf(disputes.filter(({ state }) => state === 'lost')),
    disputedMinor: sumOf(disputes.filter(({ state }) => state === 'open')),
  }
}

const addressOf = (url: string): BankAddress & { sealed: string } => {
  const { pathname, searchParams } = new URL(url)
  const [reference = '', customer = ''] = pathname.split('/').reverse().map(decodeURIComponent)
  return { customer, reference, sealed: searchParams.get('order') ?? '' }
}

function deedsOf(bank: Bank): Omit<Desk, 'name' | 'door' | 'origin' | 'reset'> {
  const addressed = (reference: string) => ({ customer: BANK_CUSTOMER, reference })
  const work = async () => {
    for (const { customer, reference } of [...bank.entries.values()])
      await bank.bank.find({ customer, reference }, bank.now())
  }
  const change = async (
    reference: string,
    act: (entry: BankEntry) => OrderChange | null,
  ): Promise<boolean> => {
    let changed = false
    const books = bankBooks(bank)
    await books.change(addressed(reference), (stored) => {
      const caught = catchUp(BankEntry.parse(stored), bank.now())
      const after = act(caught.entry)
      changed = after !== null
      return pageOf({
        entry: after?.entry ?? caught.entry,
        reports: [...caught.reports, ...(after?.reports ?? [])],
      })
    })
    return changed
  }
  return {
    work,
    async orders() {
      await work()
      return [...bank.entries.values()].map((entry) => standingOf(BankEntry.parse(entry)))
    },
    async letters(what) {
      if (what === 'backwards') bank.waiting.reverse()
      bank.letters = what === 'backwards' ? 'deliver' : what
      while ((await bank.bank.work(bank.now())) > 0);
    },
    ...buyersOf(bank, change),
    ...staffOf(bank, change),
  }
}

type ChangeOrder = (reference: string, act: (entry: BankEntry) => OrderChange | null) => Promise<boolean>

function buyersOf(bank: Bank, change: ChangeOrder): Pick<Desk, 'buy' | 'canPay' | 'decide' | 'setUpPage'> {
  return {
    async canPay(url) {
      const { sealed, ...to } = addressOf(url)
      const entry = await bank.bank.arrive(to, sealed, bank.now())
      return entry !== null && !isClosed(entry)
    },
    async buy(url, deed) {
      const { sealed, ...to } = addressOf(url)
      const entry = await bank.bank.arrive(to, sealed, bank.now())
      if (!entry || isClosed(entry)) return false
      const fault = { underpay: 'underpaid', approve_only: 'late_paid', late: 'late_paid' }[deed as string]
      if (fault)
        await change(to.reference, (each) => ({
          entry: { ...each, fault: fault as 'underpaid' },
          reports: [],
        }))
      const outcome =
        { decline: 'declined', cancel: 'cancelled', under_way: 'pending' }[deed as string] ?? 'paid'
      await bank.bank.choose(to, outcome as 'paid', bank.now())
      const at = new Date(bank.now().getTime() + LATE_MS).toISOString()
      const later = (each: BankEntry) => ({ ...each, agenda: each.agenda.map((one) => ({ ...one, at })) })
      if (deed === 'late') await change(to.reference, (each) => ({ entry: later(each), reports: [] }))
      return true
    },
    decide: async () => false,
    async setUpPage(url, will) {
      const { sealed: _, ...to } = addressOf(url)
      const outcome = {
        save: 'saved',
        save_then_decline: 'saved_then_declines',
        save_then_hard: 'saved_then_hard_declines',
        cancel: 'cancelled',
      }
      return (await bank.office.choose(to, outcome[will] as 'saved', bank.now())) !== null
    },
  }
}

function staffOf(
  bank: Bank,
  change: ChangeOrder,
): Pick<Desk, 'staff' | 'dispute' | 'regain' | 'refundsWill'> {
  return {
    async staff(reference, what, amountMinor) {
      const to = { customer: BANK_CUSTOMER, reference }
      if (!bank.entries.has(reference)) return false
      const { text } = await bank.bank.write(to, what, { amountMinor, now: bank.now() })
      return JSON.parse(text).result !== 'refused'
    },
    async dispute(reference, what, amountMinor) {
      if (what === 'inquiry' || !bank.entries.has(reference)) return false
      return change(reference, (entry) => {
        const back = sumOf(entry.refunds.filter(({ state }) => state !== 'failed'))
        const left = entry.capturedMinor - back
        if (left <= 0 || entry.reversed || entry.disputes.length > 0) return null
        const disputes = [{ amountMinor: Math.min(left, amountMinor), state: 'open' as const }]
        const at = new Date(bank.now().getTime() + 60_000).toISOString()
        const deed = what === 'won' ? ('win_dispute' as const) : ('lose_dispute' as const)
        const agenda = [...entry.agenda, { deed, at }]
        return {
          entry: { ...entry, disputes, agenda },
          reports: [{ event: 'dispute_opened', at: bank.now() }],
        }
      })
    },
    async regain(reference) {
      if (!bank.entries.has(reference)) return false
      return change(reference, (entry) => {
        if (!entry.disputes.some(({ state }) => state === 'lost')) return null
        const disputes = entry.disputes.map((each) => ({ ...each, state: 'won' as const }))
        return { entry: { ...entry, disputes }, reports: [{ event: 'dispute_won', at: bank.now() }] }
      })
    },
    async refundsWill(reference, what) {
      if (!bank.entries.has(reference) || what === 'pending') return false
      const fault = what === null ? undefined : (`refund_${what}` as const)
      return change(reference, ({ fault: _, ...entry }) => ({
        entry: fault ? { ...entry, fault } : entry,
        reports: [],
      }))
    },
  }
}

function bankBooks(bank: Bank): BankStore {
  const note = ({ entry, callbacks }: BankPage) => {
    bank.entries.set(entry.reference, entry)
    bank.waiting.push(...callbacks.map((each) => ({ ...each, attempts: 0 })))
  }
  return {
    find: async ({ reference }) => structuredClone(bank.entries.get(reference) ?? null),
    async insert({ reference }, page) {
      if (!bank.entries.has(reference)) note(page)
    },
    async change({ reference }, act) {
      const stored = bank.entries.get(reference)
      if (!stored) return null
      const page = act(structuredClone(stored))
      note(page)
      return structuredClone(page.entry)
    },
    listDue: async (now) =>
      [...bank.entries.values()].filter(({ agenda }) => agenda.some(({ at }) => new Date(at) <= now)),
    nextDueAt: async () => null,
    async claimCallbacks(now, leaseUntil, limit) {
      const claimed = bank.waiting.filter(({ dueAt }) => dueAt !== null && dueAt <= now).slice(0, limit)
      for (const each of claimed) Object.assign(each, { dueAt: leaseUntil, attempts: each.attempts + 1 })
      return claimed
    },
    async noteCallback({ reference, number }, { dueAt }) {
      const found = bank.waiting.find((each) => each.reference === reference && each.number === number)
      if (found) found.dueAt = dueAt
    },
  }
}

function cardBooks(bank: Bank): Parameters<typeof createSandboxCards>[0] {
  return {
    find: async ({ reference }) => structuredClone(bank.cards.get(reference) ?? null),
    async insert({ reference }, card) {
      if (!bank.cards.has(reference)) bank.cards.set(reference, card)
    },
    async change({ reference }, act) {
      const stored = bank.cards.get(reference)
      if (!stored) return null
      const { card, callbacks } = act(structuredClone(stored))
      bank.cards.set(reference, card)
      bank.waiting.push(...callbacks.map((each) => ({ ...each, attempts: 0 })))
      return structuredClone(card)
    },
  }
}
