/** Merchants may share a slot, and nobody can choose one. */
import { crc32 } from 'node:zlib'
import { expect, test, vi } from 'vitest'
import { newMerchantId, slotOf } from '../id.ts'
import { issueToken, revokeToken } from '../merchants/api-key.ts'
import { insertMerchant } from '../storage/merchants/merchants.ts'
import { askOperation, clickWidget, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { expectWithin } from '../testing/expect-within.ts'
import { type Kassa, openShop, type Shop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'

const kassa = await openKassa()

/** Creates a merchant with the slot of another one, and a token for it. */
async function openNeighbour({ ctx }: Kassa, { merchantId }: Shop): Promise<Shop> {
  const createdAt = ctx.clock.now()
  let id = newMerchantId(createdAt)
  while (slotOf(id) !== slotOf(merchantId)) id = newMerchantId(createdAt)
  await insertMerchant(ctx.db, { id, name: 'Neighbour', createdAt })
  const { token, tokenId } = await issueToken(ctx, { merchantId: id })
  return { merchantId: id, token, webhookSecret: '', publicKey: '', installationId: tokenId }
}

test('two merchants with one slot see nothing of each other', async () => {
  const shop = await openShop(kassa.ctx)
  const neighbour = await openNeighbour(kassa, shop)
  const shops = [shop, neighbour]
  const create = (of: Shop) => createSession(kassa.url, of, { key: 'one-key', body: sessionRequest() })
  const made = await Promise.all(shops.map(create))
  expect(made.map(({ status }) => status)).toEqual([201, 201])
  const [mine, theirs] = made.map(({ body }) => body.id as string)
  expect(mine).not.toBe(theirs)
  expect((await Promise.all(shops.map(create))).map(({ status, body }) => [status, body.id])).toEqual([
    [200, mine],
    [200, theirs],
  ])
  const seen = async (of: Shop, id = '') => (await lookUp(kassa.url, of, id)).status
  expect([await seen(shop, mine), await seen(neighbour, theirs)]).toEqual([200, 200])
  expect([await seen(shop, theirs), await seen(neighbour, mine)]).toEqual([404, 404])
  const refund = { key: 'refund', body: { amountMinor: 100, reason: 'broken' } }
  expect((await askOperation(kassa.url, neighbour, mine ?? '', 'refunds', refund)).status).toBe(404)
  await revokeToken(kassa.ctx, neighbour.token)
  await expectWithin(5_000, () => seen(neighbour, theirs), 401)
  expect(await seen(shop, mine)).toBe(200)
})

test('a token or a public key with another slot is rejected', async () => {
  const shop = await openShop(kassa.ctx)
  const SLOT_AT = 'ksk_sandbox_'.length
  const withSlot = (key: string, slot: string) => key.slice(0, SLOT_AT) + slot + key.slice(SLOT_AT + 2)
  const own = slotOf(shop.merchantId)
  expect([withSlot(shop.token, own), withSlot(shop.publicKey, own)]).toEqual([shop.token, shop.publicKey])
  const next = (char = '') => (char === 'z' ? 'y' : 'z')
  const forged = [own[0] + next(own[1]), next(own[0]) + own[1], own.toUpperCase(), 'é0', '', '00', `${own}0`]
  const wrong = forged.filter((slot) => slot !== own).map((slot) => encodeURI(withSlot(shop.token, slot)))
  const queries = vi.spyOn(kassa.ctx.db, 'query')
  const digestQueries = () =>
    queries.mock.calls.filter((call) => JSON.stringify(call).includes('digest = $1'))
  const create = (token: string) =>
    createSession(kassa.url, { ...shop, token }, { key: 'forged', body: sessionRequest() })
  for (const token of wrong) {
    const { status, body } = await create(token)
    expect([token, status, body.error?.code]).toEqual([token, 401, 'invalid_token'])
  }
  // The checksum covers the slot, so nobody was asked.
  expect(digestQueries()).toHaveLength(0)
  const body = withSlot(shop.token, next(own[0]) + own[1]).slice(0, -CHECKSUM_CHARS)
  expect((await create(body + checksumOf(body))).status).toBe(401)
  expect(digestQueries()).toHaveLength(1)
  expect((await create(shop.token)).status).toBe(201)
  const publicKey = withSlot(shop.publicKey, next(own[0]) + own[1])
  const click = await clickWidget(kassa.url, { ...shop, publicKey })
  expect([click.status, click.body.error.code]).toEqual([403, 'widget_key_invalid'])
})

const CHECKSUM_CHARS = 6
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
function checksumOf(body: string): string {
  const value = crc32(body)
  const digits = Array.from({ length: CHECKSUM_CHARS }, (_, at) => BASE62[Math.floor(value / 62 ** at) % 62])
  return digits.reverse().join('')
}
