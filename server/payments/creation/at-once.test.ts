import { expect, test } from 'vitest'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { MANY_CONNECTIONS, openShop, type Shop } from '../../testing/harness.ts'
import { openKassa } from '../../testing/scene.ts'

const kassa = await openKassa({ settings: MANY_CONNECTIONS })

const PAYMENTS = 12

async function createPayments(shop: Shop, name: string): Promise<string[]> {
  const orders = Array.from({ length: PAYMENTS }, (_, index) => `${name}-${index}`)
  const created = await Promise.all(
    orders.map((merchantOrderId) =>
      createSession(kassa.url, shop, { key: merchantOrderId, body: sessionRequest({ merchantOrderId }) }),
    ),
  )
  return created.map(({ body }) => body.id)
}

test('of look-ups at once, which share statements, each merchant gets its own payments and no other', async () => {
  const shops = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
  const ids = await Promise.all(shops.map((shop, index) => createPayments(shop, `shop${index}`)))
  const wanted = shops.flatMap((shop, by) =>
    ids.flatMap((own, of) =>
      own.flatMap((id, index) => [
        { shop, id, order: by === of ? `shop${of}-${index}` : null },
        { shop, id: `${id.slice(0, -4)}zzzz`, order: null },
      ]),
    ),
  )
  const answers = await Promise.all(wanted.map(({ shop, id }) => lookUp(kassa.url, shop, id)))
  expect(
    answers.map(({ status, body }) => (status === 200 ? [body.id, body.merchantOrderId] : status)),
  ).toEqual(wanted.map(({ id, order }) => (order === null ? 404 : [id, order])))
})

test('creations at once, which share statements, store one payment, key, attempt and change for each request, and no other', async () => {
  const shop = await openShop(kassa.ctx)
  const ids = await createPayments(shop, 'stored')
  const ofPayments = async (table: string, column: string) => {
    const { rows } = await kassa.ctx.db.query<{ id: string }>(
      `select ${column} as id from sandbox.${table} where merchant_id = $1`,
      [shop.merchantId],
    )
    return rows.map(({ id }) => id).toSorted()
  }
  expect(await ofPayments('payments', 'id')).toEqual(ids.toSorted())
  for (const table of ['idempotency_keys', 'attempts', 'payment_changes'])
    expect(await ofPayments(table, 'payment_id'), table).toEqual(ids.toSorted())
})
