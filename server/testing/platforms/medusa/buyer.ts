/** The buyer of a Medusa shop, through the Store API. */
import type { PlatformShop } from '../platform.ts'
import type { Answer, Api } from './api.ts'

const PROVIDER = 'pp_kassa_kassa'
const ADDRESS = { first_name: 'Ani', last_name: 'A', address_1: '1', city: 'Gyumri' }
const COUNTRIES: Record<string, string> = { USD: 'us', AMD: 'am' }

type Buying = Pick<PlatformShop, 'createOrder' | 'checkOut' | 'changeCart' | 'comeBack'>

export function buyerOf({ store, seeded, currencies, minorOf, sessionsOf }: Api): Buying {
  const add = (cart: string) =>
    store(`/carts/${cart}/line-items`, { variant_id: seeded.variant, quantity: 1 })
  return {
    async createOrder({ currency, amountMinor }) {
      const region_id = seeded.regions[currency]
      const { cart } = await store('/carts', { region_id, email: 'ani@shop.example' })
      currencies.set(cart.id, currency)
      await add(cart.id)
      const address = { ...ADDRESS, country_code: COUNTRIES[currency] }
      const { cart: filled } = await store(`/carts/${cart.id}`, {
        shipping_address: address,
        billing_address: address,
      })
      if (minorOf(filled.total, cart.id) !== amountMinor)
        throw new Error(`The tea costs ${filled.total} ${currency}.`)
      return cart.id
    },
    async checkOut(cart) {
      const open = (await sessionsOf(cart)).find(({ status }) => status === 'pending')
      if (open) return { checkoutUrl: open.data.checkoutUrl, paymentId: open.data.id }
      const { payment_collection: collection } = await store('/payment-collections', { cart_id: cart })
      const { payment_collection: begun } = await store(
        `/payment-collections/${collection.id}/payment-sessions`,
        { provider_id: PROVIDER, data: { return_url: 'https://shop.example/thanks' } },
      )
      const { data } = begun.payment_sessions.find(({ status }: Answer) => status === 'pending')
      return { checkoutUrl: data.checkoutUrl, paymentId: data.id }
    },
    async changeCart(cart) {
      const { cart: changed } = await add(cart)
      return minorOf(changed.total, cart)
    },
    async comeBack(cart) {
      await store(`/carts/${cart}/complete`, {})
    },
  }
}
