/** Buyers with a cart each, who pay on one of WooCommerce's two pages of checkout. */
import type { Checkout } from '../platform.ts'
import { type Browser, fieldOf, openBrowser, type Page } from './browsing.ts'

export const CHECKOUTS = ['classic', 'block'] as const
export type CheckoutKind = (typeof CHECKOUTS)[number]

export type Buyer = {
  /** The order of WooCommerce, after the button was pressed. */
  orderId: number | null
  browser: Browser
  add(): Promise<void>
  pay(): Promise<Checkout>
}

const ADDRESS = {
  first_name: 'Ani',
  last_name: 'Petrosyan',
  address_1: 'Abovyan 1',
  city: 'Yerevan',
  state: 'ER',
  postcode: '0001',
  country: 'AM',
  email: 'ani@buyer.example',
  phone: '+37410000000',
}

const paymentIn = (checkoutUrl: string): Checkout => ({
  checkoutUrl,
  paymentId: checkoutUrl.match(/\/checkout\/([^/?]+)/)?.[1] ?? '',
})

export function createBuyer(site: string, kind: CheckoutKind, productId: number): Buyer {
  const browser = openBrowser(site)
  const buyer: Buyer = {
    orderId: null,
    browser,
    async add() {
      await browser.open('/', { 'add-to-cart': String(productId), quantity: '1' })
    },
    async pay() {
      const { orderId, checkoutUrl } = await PAY[kind](browser)
      buyer.orderId = orderId
      return paymentIn(checkoutUrl)
    },
  }
  return buyer
}

type Pressed = { orderId: number; checkoutUrl: string }

const PAY: Record<CheckoutKind, (browser: Browser) => Promise<Pressed>> = {
  async classic(browser) {
    const page = await browser.open('/checkout/')
    const name = 'woocommerce-process-checkout-nonce'
    const fields = Object.entries(ADDRESS).map(([key, value]) => [`billing_${key}`, value])
    const form = { ...Object.fromEntries(fields), payment_method: 'kassa', [name]: fieldOf(page, name) }
    const answer = await browser.open('/?wc-ajax=checkout', form)
    const { result, redirect, order_id: orderId } = JSON.parse(answer.text)
    if (result !== 'success') throw new Error(`The checkout says: ${answer.text}`)
    return { orderId, checkoutUrl: redirect }
  },
  async block(browser) {
    // The page itself also recalculates the cart, as a buyer's does.
    await browser.open('/checkout/')
    const cart = await browser.call('GET', '/wp-json/wc/store/v1/cart', {})
    const headers = { nonce: cart.headers.get('nonce') ?? '' }
    const { email, ...address } = ADDRESS
    const body = {
      billing_address: { ...address, email },
      shipping_address: address,
      payment_method: 'kassa',
      payment_data: [],
    }
    const answer = await browser.call('POST', '/wp-json/wc/store/v1/checkout', headers, body)
    return readBlock(answer)
  },
}

function readBlock({ text }: Page): Pressed {
  const { order_id: orderId, payment_result: result } = JSON.parse(text)
  if (result?.payment_status !== 'success') throw new Error(`The checkout says: ${text}`)
  return { orderId, checkoutUrl: result.redirect_url }
}
