/** The staff of a Vendure shop, through the Admin API. */
import type { Session } from '../graphql.ts'
import type { OrderState, OrderView, PlatformShop, Refusal } from '../platform.ts'
import { type Catalogue, methodHandler } from './catalogue.ts'

const ORDER = `{ orders(options: { filter: { code: { eq: $code } } }) { items {
  id state totalWithTax
  payments { id state amount errorMessage refunds { total state } }
  history(options: { filter: { type: { eq: "ORDER_NOTE" } } }) { items { data } } } } }`

type Payment = {
  id: string
  state: string
  amount: number
  refunds: { total: number; state: string }[]
}
type Order = {
  id: string
  state: string
  totalWithTax: number
  payments: Payment[]
  history: { items: { data: { note: string } }[] }
}

function stateOf({ state, payments }: Order): OrderState {
  if (state === 'Cancelled') return 'cancelled'
  if (state === 'PaymentSettled') return 'paid'
  return payments.some((payment) => payment.state === 'Authorized') ? 'held' : 'open'
}

/** Returns the message of a failed call, or of an answer that is an error. */
async function refusalOf(work: Promise<Record<string, { message?: string }>>): Promise<Refusal> {
  try {
    const [result] = Object.values(await work)
    return result?.message ?? null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function viewOf(order: Order): OrderView {
  const settled = order.payments.filter(({ state }) => state === 'Settled')
  const refunds = settled.flatMap((payment) => payment.refunds).filter(({ state }) => state === 'Settled')
  return {
    state: stateOf(order),
    paidMinor: settled.reduce((sum, { amount }) => sum + amount, 0),
    refundedMinor: refunds.reduce((sum, { total }) => sum + total, 0),
    failures: order.payments.filter(({ state }) => state === 'Declined').length,
    notes: order.history.items.map(({ data }) => data.note),
  }
}

type Staff = Pick<PlatformShop, 'view' | 'refund' | 'capture' | 'void' | 'saveSettings'>

export function staffWith(admin: Session, catalogue: Catalogue): Staff {
  async function read(code: string): Promise<Order> {
    const { orders } = await admin.ask(`query ($code: String!) ${ORDER}`, { code })
    return orders.items[0]
  }
  const livePayment = async (order: string, state: string): Promise<string> => {
    const { payments } = await read(order)
    const found = payments.find((payment) => payment.state === state)
    if (!found) throw new Error(`The order ${order} has no payment in the state ${state}.`)
    return found.id
  }
  return {
    view: async (order) => viewOf(await read(order)),
    async refund(order, amount) {
      const paymentId = await livePayment(order, 'Settled')
      const input = { lines: [], shipping: 0, adjustment: 0, amount, paymentId, reason: 'broken' }
      return refusalOf(
        admin.ask(
          `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) {
            ... on Refund { state } ... on ErrorResult { message } } }`,
          { input },
        ),
      )
    },
    async capture(order) {
      const id = await livePayment(order, 'Authorized')
      return refusalOf(
        admin.ask(
          `mutation ($id: ID!) { settlePayment(id: $id) { ... on Payment { state } ... on ErrorResult { message } } }`,
          { id },
        ),
      )
    },
    async void(order) {
      const id = await livePayment(order, 'Authorized')
      return refusalOf(
        admin.ask(
          `mutation ($id: ID!) { cancelPayment(id: $id) { ... on Payment { state } ... on ErrorResult { message } } }`,
          { id },
        ),
      )
    },
    saveSettings: (access) =>
      refusalOf(
        admin.ask(
          `mutation ($input: UpdatePaymentMethodInput!) { updatePaymentMethod(input: $input) { id } }`,
          {
            input: { id: catalogue.paymentMethodId, handler: methodHandler(access) },
          },
        ),
      ),
  }
}
