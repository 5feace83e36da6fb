/** Pictures that nothing shows are deleted, and none that is shown, in whichever world, or is just being set. */
import { expect, test } from 'vitest'
import { setBranding } from '../merchants/branding.ts'
import { removeProduct, setProduct } from '../merchants/product.ts'
import { inTransaction } from '../storage/db.ts'
import { findPicture, insertPicture, type Picture } from '../storage/merchants/branding.ts'
import { type Kassa, openShop } from '../testing/harness.ts'
import { openLive } from '../testing/scene/live.ts'
import { dropUnusedPictures } from './retention.ts'

const kassa = await openLive()
const shop = await openShop(kassa.ctx)

let pictures = 0
/** Stores a picture as one of these many days ago. */
async function store(): Promise<Picture> {
  const id = (++pictures).toString(16).padStart(40, '0')
  await insertPicture(kassa.ctx.db, { id, type: 'image/webp', bytes: Buffer.from('x') }, new Date(0))
  return { id, width: 1, height: 1, ground: 'light' }
}

const has = async ({ id }: Picture) => (await findPicture(kassa.ctx.db, id)) !== null
/** What was marked as unused was marked so many days ago. */
const age = (days: number) =>
  kassa.ctx.db.query(
    `update kassa.pictures set unused_since = now() - make_interval(days => $1) where unused_since is not null`,
    [days],
  )
const sell = (ctx: Kassa['ctx'] | Kassa['live'], id: string, picture?: Picture) =>
  setProduct(ctx, {
    merchantId: shop.merchantId,
    id,
    name: 'Tea',
    amountMinor: 1500,
    currency: 'USD',
    provider: null,
    ...(picture && { display: { picture } }),
  })

test('only what nothing has shown for 30 days is deleted', async () => {
  const [logo, inSandbox, inLive, removed, replaced, never] = [
    await store(),
    await store(),
    await store(),
    await store(),
    await store(),
    await store(),
  ]
  await setBranding(kassa.ctx, shop.merchantId, { logo })
  await sell(kassa.ctx, 'tea', inSandbox)
  await sell(kassa.live, 'tea', inLive)
  await sell(kassa.ctx, 'gone', removed)
  await removeProduct(kassa.ctx, shop.merchantId, 'gone')
  await sell(kassa.ctx, 'other', replaced)
  await dropUnusedPictures(kassa.ctx)
  await sell(kassa.ctx, 'other')
  await dropUnusedPictures(kassa.live)
  await age(29)
  await dropUnusedPictures(kassa.ctx)
  expect(await Promise.all([replaced, never].map(has))).toEqual([true, true])
  await age(31)
  await dropUnusedPictures(kassa.live)
  expect(await Promise.all([logo, inSandbox, inLive, removed, replaced, never].map(has))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ])
})

test('a picture that is shown again is not deleted, however long nothing showed it', async () => {
  const picture = await store()
  await dropUnusedPictures(kassa.ctx)
  await age(31)
  await sell(kassa.live, 'tea', picture)
  await dropUnusedPictures(kassa.ctx)
  expect(await has(picture)).toBe(true)
})

test('a picture that is stored again while the sweep deletes stays for whoever is about to set it', async () => {
  const picture = await store()
  await dropUnusedPictures(kassa.ctx)
  await age(31)
  const swept = await inTransaction(kassa.ctx.db, async (tx) => {
    await insertPicture(tx, { id: picture.id, type: 'image/webp', bytes: Buffer.from('x') }, new Date())
    const sweeping = dropUnusedPictures(kassa.live)
    await expect
      .poll(async () => {
        const { rows } = await kassa.ctx.db.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        )
        return rows.length
      })
      .toBeGreaterThan(0)
    return { sweeping }
  })
  await swept.sweeping
  expect(await has(picture)).toBe(true)
})
