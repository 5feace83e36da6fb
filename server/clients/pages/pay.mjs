import { keyOf, openKassa, toMinor } from './kassa.mjs'

const kassa = openKassa({ url: 'http://localhost:3000', token: process.env.KASSA_TOKEN })
const order = {
  merchantOrderId: 'node-1',
  amountMinor: toMinor('19.00', 'USD'),
  currency: 'USD',
  returnUrl: 'https://shop.example/thanks',
}
const made = await kassa.createPayment(order, { key: keyOf('pay', order.merchantOrderId) })
console.log(made.ok ? made.value.checkoutUrl : made.error)
