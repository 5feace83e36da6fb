/** What each method of the simulated gateway does. Every method returns the fields of its answer. */
import type { Bank, SimOrder } from './bank.ts'
import { maskedPan } from './cards.ts'
import { hooksOf } from './faults.ts'
import { presentOrder } from './present.ts'

type Form = URLSearchParams
type Answer = { code: number; fields?: object }
type Method = (bank: Bank, form: Form, origin: string) => Answer

const DONE: Answer = { code: 0 }
const code = (number: number): Answer => ({ code: number })
/** An amount below one unit of the currency is refused. */
const LEAST_MINOR = 100

export const METHODS: Readonly<Record<string, Method>> = {
  'register.do': (bank, form, origin) => register(bank, form, { origin, steps: 'one' }),
  'registerPreAuth.do': (bank, form, origin) => register(bank, form, { origin, steps: 'two' }),

  'getOrderStatusExtended.do'(bank, form) {
    if (!form.get('orderId') && !form.get('orderNumber')) return code(1)
    const order = orderIn(bank, form)
    return order ? { code: 0, fields: presentOrder(bank, order) } : code(6)
  },

  'deposit.do': (bank, form) =>
    onOrder(bank, form, (order) => {
      const minor = Number(form.get('amount') ?? order.approved)
      if (minor < LEAST_MINOR) return code(5)
      if (order.status !== 1 || minor > order.approved) return code(7)
      order.status = 2
      order.deposited = minor
      bank.move(order, 'taken', minor)
      if (minor < order.approved) bank.move(order, 'released', order.approved - minor)
      bank.tell(order, ['deposited'])
      return DONE
    }),

  'reverse.do': (bank, form) => onOrder(bank, form, (order) => reverse(bank, order)),

  'refund.do': (bank, form) =>
    onOrder(bank, form, (order) => {
      const minor = Number(form.get('amount'))
      const id = form.get('externalRefundId')
      if (id !== null && order.refundIds.get(id) === minor) return DONE
      const isTaken = order.status === 2 || order.status === 4
      if (!isTaken || minor < LEAST_MINOR || minor > order.deposited - order.refunded) return code(7)
      order.status = 4
      order.refunded += minor
      bank.move(order, 'refunded', minor)
      if (id !== null) order.refundIds.set(id, minor)
      undoLater(bank, order, minor)
      bank.tell(order, ['refunded'])
      return DONE
    }),

  'decline.do': (bank, form) =>
    onOrder(bank, form, (order) => {
      if (order.number !== form.get('orderNumber')) return code(6)
      if (order.status !== 0) return code(7)
      order.status = 6
      order.actionCode = -2007
      return DONE
    }),

  'paymentOrderBinding.do'(bank, form) {
    const order = bank.orders.get(form.get('mdOrder') ?? '')
    const binding = bank.bindings.get(form.get('bindingId') ?? '')
    if (!order || !binding?.isActive || binding.clientId !== order.clientId) return code(2)
    if (order.status !== 0) return code(7)
    order.binding = binding.id
    bank.pay(order, binding.card)
    // The address has the login in it, as the sample in the manual.
    const { userName, password } = bank.shop.logins.binding
    const query = new URLSearchParams({ login: userName, password, orderId: order.id })
    const info = isPaid(order) ? 'Your order is proceeded, redirecting...' : 'Operation declined'
    return { code: 0, fields: { info, redirect: `finish.html?${query}` } }
  },

  'getBindings.do'({ bindings }, form) {
    const own = [...bindings.values()].filter(
      ({ clientId, isActive }) => isActive && clientId === form.get('clientId'),
    )
    if (own.length === 0) return code(2)
    const shown = own.map(({ id, card }) => ({
      bindingId: id,
      maskedPan: maskedPan(card),
      expiryDate: '203512',
    }))
    return { code: 0, fields: { bindings: shown } }
  },

  'unBindCard.do'({ bindings }, form) {
    const binding = bindings.get(form.get('bindingId') ?? '')
    if (!binding?.isActive) return code(2)
    binding.isActive = false
    return DONE
  },
}

const isPaid = ({ status }: SimOrder) => status === 2

function register(
  bank: Bank,
  form: Form,
  { origin, steps }: { origin: string; steps: 'one' | 'two' },
): Answer {
  const number = form.get('orderNumber') ?? ''
  // The address is returned once, also for an order that is not paid.
  if (bank.find(number)) return code(1)
  const currency = form.get('currency') ?? '643'
  if (!bank.shop.currencies.includes(currency)) return code(3)
  const seconds = Number(form.get('sessionTimeoutSecs') ?? 1_200)
  const language = form.get('language')
  const order = bank.open({
    number,
    amount: Number(form.get('amount')),
    currency,
    steps,
    returnUrl: form.get('returnUrl') ?? '',
    description: form.get('description') ?? '',
    language,
    clientId: form.get('clientId'),
    until: new Date(bank.now().getTime() + seconds * 1_000),
  })
  const formUrl = `${origin}/payment/merchants/shop/payment_${language ?? 'ru'}.html?mdOrder=${order.id}`
  return { code: 0, fields: { orderId: order.id, formUrl } }
}

function orderIn(bank: Bank, form: Form): SimOrder | undefined {
  const id = form.get('orderId')
  return id ? bank.orders.get(id) : bank.find(form.get('orderNumber') ?? '')
}

function onOrder(bank: Bank, form: Form, act: (order: SimOrder) => Answer): Answer {
  const order = orderIn(bank, form)
  return order ? act(order) : code(6)
}

/** One try, on the day of the payment. A reversal that failed is never done. */
function reverse(bank: Bank, order: SimOrder): Answer {
  const isHeld = order.status === 1
  const isPaid = order.status === 2 && order.steps === 'one' && bank.shop.reversesPaid
  if (order.hasReversalFailed || order.paidAt === null || !(isHeld || isPaid)) return code(7)
  if (bank.shop.kind === 'arca' && dayOf(order.paidAt) !== dayOf(bank.now())) {
    order.hasReversalFailed = true
    return code(7)
  }
  bank.move(order, 'released', order.approved)
  Object.assign(order, { status: 3, approved: 0, deposited: 0 })
  bank.tell(order, ['reversed'])
  return DONE
}

const YEREVAN = new Intl.DateTimeFormat('en-CA', { timeZone: 'Asia/Yerevan' })
const dayOf = (at: Date) => YEREVAN.format(at)

/** A refund can fail after it was accepted. */
function undoLater(bank: Bank, order: SimOrder, minor: number): void {
  const { refundFailsAfterMs } = hooksOf(order.fault)
  if (refundFailsAfterMs === undefined) return
  bank.later(refundFailsAfterMs, () => {
    order.refunded -= minor
    if (order.refunded === 0) order.status = 2
    bank.move(order, 'refund_undone', minor)
  })
}
