/** The buyer of a Vendure shop, through the Shop API. */
import { openSession, type Session } from '../graphql.ts'
import type { PlatformShop } from '../platform.ts'
import type { Catalogue } from './catalogue.ts'

export const TOKEN_HEADER = 'vendure-auth-token'

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

const REFRESH = `mutation ($order: String!) { refreshKassaPayment(orderCode: $order) }`

type Buying = Pick<
  PlatformShop,
  'createOrder' | 'checkOut' | 'changeCart' | 'comeBack' | 'comeBackAsStranger'
>

/** `url`: of the Shop API in its channel. */
export function buyerAt(url: string, catalogue: Catalogue): Buying {
  const buyers = new Map<string, { session: Session; variant: string }>()
  const buyerOf = (order: string) => {
    const buyer = buyers.get(order)
    if (!buyer) throw new Error(`There is no order ${order}.`)
    return buyer
  }
  return {
    async createOrder(sum) {
      const address = new URL(url)
      address.searchParams.set('currencyCode', sum.currency)
      const session = openSession(address.href, TOKEN_HEADER)
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
      await buyerOf(order).session.ask(REFRESH, { order })
    },
    comeBackAsStranger: (order) =>
      openSession(url, TOKEN_HEADER)
        .ask(REFRESH, { order })
        .then(
          () => null,
          (error: Error) => error.message,
        ),
  }
}
