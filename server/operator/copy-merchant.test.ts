/** Copying a merchant to the live world: once, however often it is asked, and over nothing that is there. */
import { expect, test } from 'vitest'
import { listInstallations } from '../merchants/installation.ts'
import { listProducts, removeProduct, setProduct } from '../merchants/product.ts'
import { getMerchantRoutes, setMerchantRoutes } from '../merchants/routes.ts'
import { openWebhookSecrets } from '../receivers/secret.ts'
import { openShop } from '../testing/harness.ts'
import { watchedDb } from '../testing/mortal-db.ts'
import { onboard, openLive } from '../testing/scene/live.ts'
import { copyMerchantToLive } from './copy-merchant.ts'
import { changeOrderBook } from './orders/book.ts'

const kassa = await openLive({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'pay@pay.example' })

/** A shop that is ready for the live world, and has nothing there yet. */
async function readyShop(): Promise<string> {
  const { merchantId } = await openShop(kassa.ctx)
  await onboard(kassa, merchantId)
  await setMerchantRoutes(kassa.ctx, merchantId, [{ route: 'manual', label: 'Transfer' }])
  return merchantId
}
const copy = (merchantId: string) => copyMerchantToLive(kassa.worlds, merchantId)

// Without new products nothing but the lock makes the second copy wait.
test.each([2, 0])('several presses at once copy everything once, with %i products', async (count) => {
  const merchantId = await readyShop()
  if (count === 0) for (const id of ['cup', 'tea']) await removeProduct(kassa.ctx, merchantId, id)
  const copies = await Promise.all([copy(merchantId), copy(merchantId), copy(merchantId)])
  const inLive = await listInstallations(kassa.live, merchantId)
  expect(inLive).toHaveLength(1)
  expect(copies.flatMap(({ installations }) => installations.map(({ publicKey }) => publicKey))).toEqual(
    inLive.map(({ publicKey }) => publicKey),
  )
  expect(copies.map(({ products }) => products).sort()).toEqual([0, 0, count])
  expect(copies.flatMap(({ routes }) => routes)).toHaveLength(1)
  const secrets = copies.flatMap(({ webhookSecret }) => webhookSecret ?? [])
  expect(await openWebhookSecrets(kassa.live, merchantId)).toEqual(secrets)
  expect(secrets).toHaveLength(1)
  expect(await copy(merchantId)).toEqual({
    products: 0,
    kept: [],
    installations: [],
    routes: [],
    webhookSecret: null,
  })
})

test('the secret is told if the database is gone as soon as it is stored', async () => {
  const merchantId = await readyShop()
  let isStored = false
  const db = watchedDb(
    kassa.live.db,
    (statement) => {
      if (isStored) throw new Error('gone')
      isStored = statement === 'commit'
    },
    () => isStored,
  )
  const { webhookSecret } = await copyMerchantToLive(
    { ...kassa.worlds, live: { ...kassa.live, db } },
    merchantId,
  )
  expect(isStored).toBe(true)
  expect(await openWebhookSecrets(kassa.live, merchantId)).toEqual([webhookSecret])
})

test('what the live world has stays: prices, what was removed from sale, and routes', async () => {
  const merchantId = await readyShop()
  await copy(merchantId)
  const tea = { merchantId, id: 'tea', name: 'Tea', currency: 'USD', provider: null } as const
  await setProduct(kassa.live, { ...tea, amountMinor: 2_100 })
  await removeProduct(kassa.live, merchantId, 'cup')
  await setMerchantRoutes(kassa.live, merchantId, [{ route: 'manual', label: 'Bank' }])
  await setProduct(kassa.ctx, { ...tea, amountMinor: 50 })
  await setProduct(kassa.ctx, { ...tea, id: 'bread', amountMinor: 300 })
  expect(await copy(merchantId)).toMatchObject({ products: 1, kept: ['cup', 'tea'], routes: [] })
  const prices = (await listProducts(kassa.live, merchantId)).map(({ id, amountMinor }) => [id, amountMinor])
  expect(prices).toEqual([
    ['bread', 300],
    ['tea', 2_100],
  ])
  expect(await getMerchantRoutes(kassa.live, merchantId)).toMatchObject([{ label: 'Bank' }])
})

test('a price that is set while somebody copies is the one that stays', async () => {
  const merchantId = await readyShop()
  const tea = { merchantId, id: 'tea', name: 'Tea', currency: 'USD', provider: null } as const
  await Promise.all([copy(merchantId), setProduct(kassa.live, { ...tea, amountMinor: 2_100 })])
  await copy(merchantId)
  const sold = (await listProducts(kassa.live, merchantId)).find(({ id }) => id === 'tea')
  expect(sold?.amountMinor).toBe(2_100)
})

test('the owner is told that products and ways to pay were added', async () => {
  const merchantId = await readyShop()
  await changeOrderBook(kassa.live, merchantId, { email: 'owner@shop.example', locale: 'en' })
  const changes = async () =>
    (
      await kassa.live.db.query<{ change: string }>(
        `select notice->>'change' as change from live.mails where merchant_id = $1 order by 1`,
        [merchantId],
      )
    ).rows.map(({ change }) => change)
  await copy(merchantId)
  expect(await changes()).toEqual(['product', 'routes'])
  await copy(merchantId)
  expect(await changes()).toHaveLength(2)
})
