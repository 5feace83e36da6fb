/** What the simulated gateway keeps: its shop, orders and saved cards, and the books of every movement of money. */
import { randomUUID } from 'node:crypto'
import { type Agenda, plan, runDue } from '../simulator.ts'
import { type CallbackSetup, sendCallbacks, type Transmission } from './callbacks.ts'
import { CARDS } from './cards.ts'
import { type Fault, faultIn, hooksOf } from './faults.ts'

/**
 * `kind`: the rules of ArCa's gateway, or those of another bank. `version`: of getOrderStatusExtended. `isPoor`: answers have nothing that
 * the manual marks optional. `codes`: how codes are written. `deposited`: whether the deposited amount falls with refunds. `tries`: how
 * often a buyer may try. `lacks`: methods that the login may not use.
 */
export type Shop = {
  kind: 'arca' | 'other'
  version: '01' | '02' | '03'
  isPoor: boolean
  codes: 'text' | 'number' | 'capitals'
  deposited: 'falls' | 'stays'
  tries: number
  currencies: readonly string[]
  logins: Record<'main' | 'binding', Login>
  lacks: Set<string>
  reversesPaid: boolean
  callbacks: CallbackSetup | null
}
export type Login = { userName: string; password: string; mustChange: boolean }

export type SimOrder = {
  id: string
  number: string
  amount: number
  currency: string
  steps: 'one' | 'two'
  returnUrl: string
  description: string
  language: string | null
  clientId: string | null
  registeredAt: Date
  until: Date
  status: number
  actionCode: number
  tries: number
  approved: number
  deposited: number
  refunded: number
  refundIds: Map<string, number>
  hasReversalFailed: boolean
  paidAt: Date | null
  card: string | null
  binding: string | null
  isDisputed: boolean
  fault: Fault | undefined
}
export type SimBinding = { id: string; clientId: string; card: string; isActive: boolean }

export type Movement = {
  number: string
  kind: 'held' | 'taken' | 'released' | 'refunded' | 'refund_undone'
  minor: number
}

export type Bank = ReturnType<typeof createBank>

/** `deliver`: sends a callback to the shop. */
export function createBank(shop: Shop, now: () => Date, deliver: (each: Transmission) => void) {
  const orders = new Map<string, SimOrder>()
  const bindings = new Map<string, SimBinding>()
  const movements: Movement[] = []
  const agenda: Agenda = []
  const later = (ms: number, act: () => void) => plan(agenda, now(), ms, act)
  const bank = {
    shop,
    now,
    orders,
    bindings,
    movements,
    later,
    find: (number: string) => [...orders.values()].find((order) => order.number === number),
    move: (order: SimOrder, kind: Movement['kind'], minor: number) =>
      void movements.push({ number: order.number, kind, minor }),
    tell: (order: SimOrder, operations: string[]) => sendCallbacks(bank, order, operations, deliver),
    open: (given: Pick<SimOrder, 'number' | 'amount' | 'currency' | 'steps'> & Opened) =>
      openOrder(bank, given),
    pay: (order: SimOrder, card: string) => payOrder(bank, order, card),
    /** Does everything that is due, and ends the orders whose session is over. */
    work() {
      runDue(agenda, now)
      for (const order of orders.values())
        if (order.status === 0 && now() >= order.until) endOrder(bank, order, -2007)
    },
    /** Staff of the bank change an order by hand, whatever its state is. */
    changeByHand(number: string, to: 'paid' | 'declined') {
      const order = bank.find(number)
      if (!order) throw new Error('no such order')
      if (to === 'declined') endOrder(bank, order, 999)
      else settle(bank, order)
    },
  }
  return bank
}

type Opened = Pick<SimOrder, 'returnUrl' | 'description' | 'language' | 'clientId' | 'until'>

function openOrder(
  { orders, now }: Pick<Bank, 'orders' | 'now'>,
  given: Pick<SimOrder, 'number' | 'amount' | 'currency' | 'steps'> & Opened,
): SimOrder {
  const fault = faultIn(given.description)
  const order: SimOrder = {
    ...given,
    id: randomUUID(),
    registeredAt: now(),
    until: hooksOf(fault).endsAtOnce ? now() : given.until,
    status: 0,
    actionCode: -100,
    tries: 0,
    approved: 0,
    deposited: 0,
    refunded: 0,
    refundIds: new Map(),
    hasReversalFailed: false,
    paidAt: null,
    card: null,
    binding: null,
    isDisputed: false,
    fault,
  }
  orders.set(order.id, order)
  return order
}

function endOrder(bank: Bank, order: SimOrder, actionCode: number): void {
  order.status = 6
  order.actionCode = actionCode
  bank.tell(order, [actionCode === -2007 ? 'declinedByTimeout' : 'deposited'])
}

/** A buyer pays on the page, or the shop charges a saved card. */
function payOrder(bank: Bank, order: SimOrder, number: string): void {
  const card = CARDS[number] ?? { code: 111 }
  const code = order.binding === null ? card.code : (card.charge ?? card.code)
  order.card = number
  order.tries += 1
  order.actionCode = code
  const { lateMs } = hooksOf(order.fault)
  if (code === 0 && lateMs !== undefined) {
    order.status = 5
    order.actionCode = -9000
    bank.later(lateMs, () => settle(bank, order))
  } else if (code === 0) settle(bank, order)
  else if (card.isFinal) endOrder(bank, order, code)
  else if (order.tries >= bank.shop.tries) endOrder(bank, order, -2013)
}

function settle(bank: Bank, order: SimOrder): void {
  const { takenOf = (minor: number) => minor, disputesAfterMs } = hooksOf(order.fault)
  const taken = takenOf(order.amount)
  order.actionCode = 0
  order.paidAt = bank.now()
  order.approved = taken
  bank.move(order, 'held', taken)
  if (order.steps === 'one') {
    order.status = 2
    order.deposited = taken
    bank.move(order, 'taken', taken)
  } else order.status = 1
  saveCard(bank, order)
  bank.tell(order, order.steps === 'one' ? ['approved', 'deposited'] : ['approved'])
  if (disputesAfterMs !== undefined)
    bank.later(disputesAfterMs, () => {
      order.isDisputed = true
    })
}

/** A payment that names a client leaves a binding. */
function saveCard({ bindings }: Bank, order: SimOrder): void {
  if (order.clientId === null || order.card === null || order.binding !== null) return
  const id = randomUUID()
  bindings.set(id, { id, clientId: order.clientId, card: order.card, isActive: true })
}
