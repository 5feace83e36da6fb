/** What each operation of the simulated vPOS does. */
import { maskedPan } from '../rbs/cards.ts'
import { hooksOf } from '../rbs/faults.ts'
import type { Bank, Client, SimPayment } from './bank.ts'
import { NOTHING, presentPayment, responseCode } from './present.ts'

type Body = Record<string, unknown>
/** `null`: the bank's software fails, and answers with HTTP 500. */
export type Answer = object | null
/** `client`: whose user name and password these are; null for nobody's. */
type Request = { bank: Bank; body: Body; client: Client | null }
type Operation = (request: Request) => Answer

const CANCEL_MS = 72 * 3_600_000
const textIn = (body: Body, name: string) => String(body[name] ?? '')
const minorIn = (body: Body) => Math.round(Number(body.Amount) * 100)
const code = (ResponseCode: string, ResponseMessage = '') => ({ ResponseCode, ResponseMessage, Opaque: '' })
const LOGIN = 'Incorrect Username and Password'

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  InitPayment({ bank, body, client }) {
    const refused = (ResponseCode: number | string) => ({ PaymentID: '', ResponseCode, ResponseMessage: '' })
    if (!client) return { ...refused(20), ResponseMessage: LOGIN }
    const wrong = whyNot(bank, client, body)
    if (wrong !== null) return refused(wrong)
    const known = numbered(bank, client, body)
    // The bank opens no second payment for a number that somebody has tried.
    if (known && (known.tries > 0 || bank.now() >= known.until)) return refused('01')
    const order = orderIn(client, body)
    const until = new Date(bank.now().getTime() + Number(body.Timeout) * 1_000)
    if (known) Object.assign(known, order)
    const { id } = known ?? bank.initialise({ ...order, until })
    return { PaymentID: id.toUpperCase(), ResponseCode: 1, ResponseMessage: 'OK' }
  },

  GetPaymentDetails({ bank, body, client }) {
    const payment = bank.payments.get(textIn(body, 'PaymentID').toLowerCase())
    // It fails for what nobody has tried, before it looks at the login.
    if (payment && payment.tries === 0) return payment.number.endsWith('7') ? NOTHING : null
    return payment && client ? presentPayment(bank, payment) : NOTHING
  },

  GetPaymentId({ bank, body, client }) {
    if (!client) return { PaymentId: '', ...code('20', LOGIN) }
    const payment = numbered(bank, client, body)
    return payment ? { PaymentId: payment.id, ...code('00') } : { PaymentId: '', ...code('06') }
  },

  ConfirmPayment: (request) =>
    onPayment(request, (bank, payment) => {
      const minor = minorIn(request.body)
      if (payment.status !== 1 || minor > payment.approved) return code('07', 'System Error')
      Object.assign(payment, { status: 2, deposited: minor })
      bank.move(payment, 'taken', minor)
      if (minor < payment.approved) bank.move(payment, 'released', payment.approved - minor)
      return code('00', 'Success')
    }),

  CancelPayment: (request) =>
    onPayment(request, (bank, payment) => {
      if (bank.shop.lacks.has('cancellations')) return code('514')
      const isLate = bank.now().getTime() >= payment.initialisedAt.getTime() + CANCEL_MS
      if (![1, 2].includes(payment.status) || payment.refunded > 0 || isLate)
        return code('07', 'Reversal is impossible for current transaction state')
      bank.move(payment, 'released', payment.approved)
      Object.assign(payment, { status: 3, deposited: 0 })
      return code('00', 'Success')
    }),

  RefundPayment: (request) =>
    onPayment(request, (bank, payment) => {
      if (bank.shop.lacks.has('refunds')) return code('513')
      const minor = minorIn(request.body)
      if (![2, 4].includes(payment.status) || minor > payment.deposited - payment.refunded)
        return code('07', 'Refund amount exceeds deposited amount')
      payment.status = 4
      payment.refunded += minor
      bank.move(payment, 'refunded', minor)
      undoLater(bank, payment, minor)
      return code('00', 'Success')
    }),

  MakeBindingPayment({ bank, body, client }) {
    if (!client) return { PaymentID: '', ...code('20', LOGIN) }
    if (bank.shop.lacks.has('bindings')) return { PaymentID: '', ...code('20', NOT_AVAILABLE) }
    const wrong = whyNot(bank, client, body)
    if (wrong !== null) return { PaymentID: '', ...code(String(wrong)) }
    if (numbered(bank, client, body)) return { PaymentID: '', ...code('01', 'Order already exists') }
    const binding = bindingIn(bank, client, body)
    if (!binding?.isActive) return { PaymentID: '', ...code('02') }
    const payment = bank.initialise({ ...orderIn(client, body), until: bank.now() })
    payment.isCharge = true
    bank.pay(payment, binding.card)
    const empty = { AcsUrl: '', PaReq: '', TermUrl: '' }
    if (bank.shop.isPoor) return { PaymentID: '', ResponseCode: responseCode(payment), ...empty }
    return { PaymentID: payment.id, ...presentPayment(bank, payment), ...empty }
  },

  GetBindings({ bank, body, client }) {
    if (![5, 6].includes(Number(body.PaymentType))) return null
    if (!client || bank.shop.lacks.has('bindings')) return code('20', client ? NOT_AVAILABLE : LOGIN)
    const shown = bank.bindings
      .filter((each) => each.client === client.id)
      .map(({ holder, card, isActive }) => ({
        CardHolderID: holder,
        CardPan: maskedPan(card),
        ExpDate: '203512',
        IsAvtive: isActive,
      }))
    return { ...code('00', 'OK'), CardBindingFileds: shown }
  },

  DeactivateBinding({ bank, body, client }) {
    if (!client || bank.shop.lacks.has('bindings')) return code('20', client ? NOT_AVAILABLE : LOGIN)
    const binding = bindingIn(bank, client, body)
    if (!binding?.isActive) return code('02')
    binding.isActive = false
    return code('00', 'OK')
  },
}

const NOT_AVAILABLE = 'Client payment type BindingMainRest is not available'

/** Returns the code with which the bank refuses an order; null if it takes it. */
function whyNot({ shop }: Bank, { numbers: [first, last] }: Client, body: Body): number | string | null {
  const number = Number(body.OrderID)
  if (number < first || number > last) return 510
  if (!shop.currencies.includes(textIn(body, 'Currency'))) return '03'
  if (body.Timeout !== undefined && (Number(body.Timeout) < 1 || Number(body.Timeout) > 1_200)) return 510
  if (shop.isTestMode && (minorIn(body) !== 1_000 || body.Currency !== '051')) return 560
  return minorIn(body) < shop.leastMinor ? 50 : null
}

const orderIn = (client: Client, body: Body) => ({
  client,
  number: textIn(body, 'OrderID'),
  minor: minorIn(body),
  currency: textIn(body, 'Currency'),
  description: textIn(body, 'Description'),
  opaque: textIn(body, 'Opaque'),
  backUrl: textIn(body, 'BackURL'),
  holder: body.CardHolderID === undefined ? null : textIn(body, 'CardHolderID'),
})

const numbered = ({ payments }: Bank, client: Client, body: Body) =>
  [...payments.values()].find(
    (each) => each.client.id === client.id && each.number === textIn(body, 'OrderID'),
  )

const bindingIn = ({ bindings }: Bank, client: Client, body: Body) =>
  bindings.find((each) => each.client === client.id && each.holder === body.CardHolderID)

function onPayment(
  { bank, body, client }: Request,
  act: (bank: Bank, payment: SimPayment) => object,
): object {
  if (!client) return code('550', '')
  const payment = bank.payments.get(textIn(body, 'PaymentID').toLowerCase())
  return payment ? act(bank, payment) : code('06')
}

/** A refund can fail after it was accepted. */
function undoLater(bank: Bank, payment: SimPayment, minor: number): void {
  const { refundFailsAfterMs } = hooksOf(payment.fault)
  if (refundFailsAfterMs === undefined) return
  bank.later(refundFailsAfterMs, () => {
    payment.refunded -= minor
    if (payment.refunded === 0) payment.status = 2
    bank.move(payment, 'refund_undone', minor)
  })
}
