/** The owner of a shop is told by mail of what decides where money and news go, without secrets. */
import { expect, test } from 'vitest'
import { addUser } from '../access/users.ts'
import { setAccount } from '../accounts/set.ts'
import { issueToken, rotateToken } from '../merchants/api-key.ts'
import { removeProduct, setProduct } from '../merchants/product.ts'
import { setMerchantRoutes } from '../merchants/routes.ts'
import { setTokenLimits } from '../merchants/token-limits.ts'
import { changeOrderBook } from '../operator/orders/book.ts'
import { setCallback } from '../receivers/receiver.ts'
import { rotateWebhookSecret } from '../receivers/secret.ts'
import { openShop } from '../testing/harness.ts'
import { partsOf, startMailServer } from '../testing/mail-server.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { startMails } from '../worker/mails.ts'

const price = (amountMinor: number) => {
  const product = { id: 'cup', name: 'Cup', amountMinor, currency: 'USD' as const, provider: null }
  return setProduct(kassa.ctx, { merchantId, ...product, display: {}, choice: null, maxQuantity: 1 })
}
const server = closeAfter(await startMailServer())
const kassa = await openKassa({ settings: { SMTP_URL: server.url, MAIL_FROM: 'pay@pay.example' } })
const merchantId = (await openShop(kassa.ctx)).merchantId
await setCallback(kassa.ctx, merchantId, 'https://shop.example/events')
await price(1_000)
await changeOrderBook(kassa.ctx, merchantId, { email: 'owner@shop.example', locale: 'en' })

const mailsOf = async (change: string) =>
  (
    await kassa.ctx.db.query<{ notice: object }>(
      `select notice from sandbox.mails where kind = 'address_changed' and notice->>'change' = $1`,
      [change],
    )
  ).rows.map(({ notice }) => notice)

const CHANGES: Record<string, (count: number) => Promise<unknown>> = {
  price: (count) => price(2_000 + count),
  callback: (count) => setCallback(kassa.ctx, merchantId, `https://shop.example/${count}?token=secret`),
  event_secret: () => rotateWebhookSecret(kassa.ctx, merchantId, '0'),
  token: async () =>
    rotateToken(kassa.ctx, (await issueToken(kassa.ctx, { merchantId })).tokenId, '0', { id: null }),
  token_issued: () => issueToken(kassa.ctx, { merchantId }),
  async token_limit() {
    const limited = { refundLimits: { USD: 100 }, refundLimitsDay: null }
    const { tokenId } = await issueToken(kassa.ctx, { merchantId, ...limited })
    return setTokenLimits(kassa.ctx, { tokenId, doer: { id: null }, refundLimits: { USD: 200 } })
  },
  account: async (count) =>
    setAccount(kassa.ctx, {
      merchantId,
      route: 'manual',
      driver: 'manual',
      currencies: ['USD'],
      written: { RECIPIENT: 'Shop', BANK: 'A bank', ACCOUNT: `1234${count}` },
    }),
  routes: (count) => setMerchantRoutes(kassa.ctx, merchantId, [{ route: 'route_a', label: `Card ${count}` }]),
}

test.each(Object.keys(CHANGES))('a change of %s is told, and at most five in an hour', async (change) => {
  const mail = { to: 'owner@shop.example', locale: 'en', change }
  await CHANGES[change]?.(0)
  expect((await mailsOf(change)).slice(0, 1)).toEqual([mail])
  for (let count = 1; count < 7; count++) await CHANGES[change]?.(count)
  expect(await mailsOf(change)).toEqual(Array.from({ length: 5 }, () => mail))
})

test('the mails arrive, each in its words, without secrets', async () => {
  const mails = startMails(kassa.ctx)
  const { rowCount } = await kassa.ctx.db.query('select from sandbox.mails')
  while (server.arrived.length < (rowCount ?? 0)) {
    await mails.turn()
    await mails.settle()
  }
  await mails.stop()
  const text = server.arrived.map((each) => partsOf(each).text).join('\n')
  for (const part of ['changed a price of', 'news of payments of', 'replaced a token', 'replaced the secret'])
    expect(text).toContain(part)
  expect(text).not.toMatch(/ksk_|whsec_|secret=|token=/)
})

test('a product that was removed and comes back with another price is told', async () => {
  await kassa.ctx.db.query('delete from sandbox.mails')
  await removeProduct(kassa.ctx, merchantId, 'cup')
  await price(1)
  expect(await mailsOf('price')).toEqual([{ to: 'owner@shop.example', locale: 'en', change: 'price' }])
})

test('a shop without an address for mails is told at the addresses of its people', async () => {
  const other = (await openShop(kassa.ctx)).merchantId
  await addUser(kassa.ctx, { name: 'Ani', role: 'administrator' })
  const person = { name: 'Davit', role: 'shop', email: 'davit@shop.example', merchantId: other } as const
  await addUser(kassa.ctx, person)
  await rotateWebhookSecret(kassa.ctx, other, '0')
  const mail = { to: 'davit@shop.example', locale: 'en', change: 'event_secret' }
  expect(await mailsOf('event_secret')).toContainEqual(mail)
})
