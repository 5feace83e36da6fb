/** Drives a real Vendure: its buyer through the Shop API, its staff through the Admin API. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../harness.ts'
import { openSession, type Session } from '../graphql.ts'
import { findInstall } from '../install.ts'
import type { Opening, OrderState, Platform, PlatformShop, Refusal } from '../platform.ts'
import { programOn } from '../program.ts'
import { fillProject } from '../project.ts'
import { fillVendure, methodHandler } from './catalogue.ts'

const MAIN = 'main.mjs'
const TOKEN_HEADER = 'vendure-auth-token'

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

export const VENDURE: Platform = {
  name: 'vendure',
  find: () => findInstall('vendure', 'Vendure'),
  open: openVendure,
}

export async function openVendure({ kassa, install, folder, databaseUrl }: Opening): Promise<PlatformShop> {
  fillProject(folder, { install, plugin: 'vendure' })
  copyFileSync(fileURLToPath(new URL(MAIN, import.meta.url)), join(folder, MAIN))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = programOn(`${url}/shop-api?query={__typename}`, {
    args: [MAIN],
    cwd: folder,
    env: { PORT: String(port), DATABASE_URL: databaseUrl, VENDURE_DISABLE_TELEMETRY: 'true' },
  })
  await program.start()

  const admin = openSession(`${url}/admin-api`, TOKEN_HEADER)
  const catalogue = await fillVendure(admin, kassa)
  const buyers = new Map<string, { session: Session; variant: string }>()
  const buyerOf = (order: string) => {
    const buyer = buyers.get(order)
    if (!buyer) throw new Error(`There is no order ${order}.`)
    return buyer
  }
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
  const add = (session: Session, variant: string) =>
    session.ask(
      `mutation ($id: ID!) { addItemToOrder(productVariantId: $id, quantity: 1) {
        ... on Order { code totalWithTax } ... on ErrorResult { message } } }`,
      { id: variant },
    )
  const move = (session: Session, state: string) =>
    session.ask(
      `mutation ($state: String!) { transitionOrderToState(state: $state) {
        ... on Order { state } ... on OrderStateTransitionError { transitionError } } }`,
      { state },
    )

  return {
    callbackUrl: `${url}/kassa/events`,
    version: `Vendure ${/Vendure server \(v([\d.]+)/.exec(program.output())?.[1] ?? '(unknown)'}`,
    async createOrder(sum) {
      const session = openSession(`${url}/shop-api?currencyCode=${sum.currency}`, TOKEN_HEADER)
      const variant = await catalogue.variantOf(sum)
      const { addItemToOrder: cart } = await add(session, variant)
      await session.ask(
        `mutation { setCustomerForOrder(input: { emailAddress: "ani@shop.example", firstName: "Ani", lastName: "A" }) { __typename } }`,
      )
      await session.ask(
        `mutation { setOrderShippingAddress(input: { streetLine1: "1", city: "Gyumri", countryCode: "AM" }) { __typename } }`,
      )
      const { eligibleShippingMethods: methods } = await session.ask('{ eligibleShippingMethods { id } }')
      await session.ask(
        `mutation ($ids: [ID!]!) { setOrderShippingMethod(shippingMethodId: $ids) { __typename } }`,
        { ids: [methods[0].id] },
      )
      const moved = await move(session, 'ArrangingPayment')
      if (moved.transitionOrderToState?.state !== 'ArrangingPayment') throw new Error(JSON.stringify(moved))
      buyers.set(cart.code, { session, variant })
      return cart.code
    },
    async checkOut(order) {
      const { createKassaPayment: made } = await buyerOf(order).session.ask(
        `mutation { createKassaPayment(returnUrl: "https://shop.example/thanks") { url paymentId } }`,
      )
      return { checkoutUrl: made.url, paymentId: made.paymentId }
    },
    async changeCart(order) {
      const { session, variant } = buyerOf(order)
      await move(session, 'AddingItems')
      const { addItemToOrder: cart } = await add(session, variant)
      await move(session, 'ArrangingPayment')
      return cart.totalWithTax
    },
    async comeBack(order) {
      const query = `mutation ($order: String!) { refreshKassaPayment(orderCode: $order) }`
      await buyerOf(order).session.ask(query, { order })
    },
    async view(order) {
      const found = await read(order)
      const settled = found.payments.filter(({ state }) => state === 'Settled')
      const refunds = settled.flatMap((payment) => payment.refunds).filter(({ state }) => state === 'Settled')
      return {
        state: stateOf(found),
        paidMinor: settled.reduce((sum, { amount }) => sum + amount, 0),
        refundedMinor: refunds.reduce((sum, { total }) => sum + total, 0),
        failures: found.payments.filter(({ state }) => state === 'Declined').length,
        notes: found.history.items.map(({ data }) => data.note),
      }
    },
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
    kill: program.kill,
    restart: program.start,
    output: program.output,
    close: program.kill,
  }
}
