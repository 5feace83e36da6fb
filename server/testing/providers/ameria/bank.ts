/** What the simulated vPOS keeps: its shops, payments and saved cards, and the books of every movement of money. */
import { randomUUID } from 'node:crypto'
import type { Movement } from '../rbs/bank.ts'
import { CARDS } from '../rbs/cards.ts'
import { type Fault, faultIn, hooksOf } from '../rbs/faults.ts'
import { type Agenda, plan, runDue } from '../simulator.ts'

/** A client of the bank. `numbers`: the order numbers that the bank has allotted. `steps`: of its profile, no request names them. */
export type Client = {
  id: string
  username: string
  password: string
  numbers: [first: number, last: number]
  steps: 'one' | 'two'
}

/**
 * `isPoor`: answers have nothing that a shop can do without. `isTestMode`: it takes 10 drams, and no other amount. `leastMinor`: it takes
 * no smaller amount. `lacks`: what it has not allowed. `tries`: how often a buyer may try.
 */
export type Shop = {
  clients: readonly Client[]
  isPoor: boolean
  isTestMode: boolean
  leastMinor: number
  currencies: readonly string[]
  lacks: Set<'bindings' | 'refunds' | 'cancellations'>
  tries: number
}

export type SimPayment = {
  id: string
  client: Client
  number: string
  minor: number
  currency: string
  description: string
  opaque: string
  backUrl: string
  holder: string | null
  initialisedAt: Date
  until: Date
  status: number
  actionCode: number
  tries: number
  approved: number
  deposited: number
  refunded: number
  paidAt: Date | null
  card: string | null
  isCharge: boolean
  fault: Fault | undefined
}
export type SimCardBinding = { client: string; holder: string; card: string; isActive: boolean }

type Given = Pick<
  SimPayment,
  'client' | 'number' | 'minor' | 'currency' | 'description' | 'opaque' | 'backUrl' | 'holder' | 'until'
>

export type Bank = ReturnType<typeof createBank>

export function createBank(shop: Shop, now: () => Date) {
  const payments = new Map<string, SimPayment>()
  const bindings: SimCardBinding[] = []
  const movements: Movement[] = []
  const agenda: Agenda = []
  const bank = {
    shop,
    now,
    payments,
    bindings,
    movements,
    later: (ms: number, act: () => void) => plan(agenda, now(), ms, act),
    find: (number: string) => [...payments.values()].find((each) => each.number === number),
    move: ({ number }: SimPayment, kind: Movement['kind'], minor: number) =>
      void movements.push({ number, kind, minor }),
    initialise(given: Given): SimPayment {
      const fault = faultIn(given.description)
      const payment: SimPayment = {
        ...given,
        id: randomUUID(),
        initialisedAt: now(),
        status: 0,
        actionCode: -100,
        tries: 0,
        approved: 0,
        deposited: 0,
        refunded: 0,
        paidAt: null,
        card: null,
        isCharge: false,
        fault,
      }
      if (hooksOf(fault).endsAtOnce) Object.assign(payment, { status: 6, actionCode: -2007, tries: 1 })
      payments.set(payment.id, payment)
      return payment
    },
    pay: (payment: SimPayment, card: string) => pay(bank, payment, card),
    /** Does everything that is due, and ends the payments whose page is over. */
    work() {
      runDue(agenda, now)
      for (const payment of payments.values())
        if (payment.status === 0 && payment.tries > 0 && now() >= payment.until)
          Object.assign(payment, { status: 6, actionCode: -2007 })
    },
    /** Staff of the bank change a payment by hand, whatever its state is. */
    changeByHand(number: string) {
      const payment = bank.find(number)
      if (!payment) throw new Error('no such payment')
      payment.tries += 1
      settle(bank, payment)
    },
  }
  return bank
}

function pay(bank: Bank, payment: SimPayment, number: string): void {
  const card = CARDS[number] ?? { code: 111 }
  const code = payment.isCharge ? (card.charge ?? card.code) : card.code
  const { lateMs } = hooksOf(payment.fault)
  Object.assign(payment, { card: number, tries: payment.tries + 1, actionCode: code })
  if (code === 0 && lateMs !== undefined) {
    Object.assign(payment, { status: 5, actionCode: -9000 })
    bank.later(lateMs, () => settle(bank, payment))
  } else if (code === 0) settle(bank, payment)
  else if (card.isFinal || payment.isCharge) payment.status = 6
  else if (payment.tries >= bank.shop.tries) Object.assign(payment, { status: 6, actionCode: -2013 })
}

function settle(bank: Bank, payment: SimPayment): void {
  const { takenOf = (minor: number) => minor } = hooksOf(payment.fault)
  const taken = takenOf(payment.minor)
  Object.assign(payment, { actionCode: 0, paidAt: bank.now(), approved: taken, status: 1 })
  bank.move(payment, 'held', taken)
  if (payment.client.steps === 'one') {
    Object.assign(payment, { status: 2, deposited: taken })
    bank.move(payment, 'taken', taken)
  }
  const { holder, card, client, isCharge } = payment
  if (holder !== null && card !== null && !isCharge && !bank.shop.lacks.has('bindings'))
    bank.bindings.push({ client: client.id, holder, card, isActive: true })
}
