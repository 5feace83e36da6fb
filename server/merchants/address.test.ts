/** Short addresses that an earlier version has approved: whose a name is, where it leads, and what a stranger learns. */
import { beforeAll, describe, expect, test } from 'vitest'
import { expectWithin } from '../testing/expect-within.ts'
import { openShop, type Shop } from '../testing/harness.ts'
import { operateJson } from '../testing/operator.ts'
import { storeShortAddress } from '../testing/pages/short-address.ts'
import { openScene } from '../testing/scene.ts'
import { keyOfTyped, listAddresses, retireAddress } from './address.ts'
import { revokeInstallation } from './installation.ts'
import { setProduct } from './product.ts'

const { kassa, shop } = await openScene()
let rival: Shop
beforeAll(async () => {
  rival = await openShop(kassa.ctx)
})

const store = (name: string, of: Shop = shop, productId = 'tea') =>
  storeShortAddress(kassa.ctx.db, of, { name, productId })
const retire = (name: string, { merchantId }: Shop = shop) => retireAddress(kassa.ctx, { merchantId, name })
const terms = { name: 'Odd', amountMinor: 100, currency: 'USD', provider: null } as const

async function open(typed: string, query = '') {
  const address = `${kassa.url}/p/test/${encodeURIComponent(typed)}${query}`
  const answer = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html' } })
  return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() }
}
const leadsTo = async (typed: string) => (await open(typed)).to

describe('a name', () => {
  test.each([
    ['cop', 'сор', 'the Russian letters с, о, р'],
    ['onus', 'օոսs', 'Armenian letters'],
    ['mountain-tea', 'MountainTea', 'capitals and no dash'],
    ['mountain-tea', ' mountain tea. ', 'blanks and a dot'],
    ['bill', 'b1ll', 'a digit'],
    ['cool', 'c00l', 'zeros'],
    ['corner', 'comer', 'two letters that look like one'],
    ['чай', 'чаи', 'a mark over a letter'],
  ])('%s is the same as %s: %s', (one, other) => expect(keyOfTyped(one)).toBe(keyOfTyped(other)))

  test('different words stay different, and nothing long is looked up', () => {
    const words = ['tea', 'cup', 'чай', 'кофе', 'թեյ', 'սուրճ', 'roza', 'роза', 'bread', 'bred']
    expect(new Set(words.map(keyOfTyped)).size).toBe(words.length)
    expect([keyOfTyped('x'.repeat(61)), keyOfTyped('...')]).toEqual([null, null])
  })
})

test('a name leads to the pay page as people type it, and in the language of the visit', async () => {
  await store('чай-лучший')
  const pay = `/pay/${shop.publicKey}/tea`
  expect(await Promise.all(['чай-лучший', 'ЧАЙ лучший', 'чайлучшии', 'чaй-лучший'].map(leadsTo))).toEqual([
    pay,
    pay,
    pay,
    pay,
  ])
  expect(await open('чай-лучший', '?locale=ru&x=//evil.example')).toMatchObject({
    status: 302,
    to: `${pay}?locale=ru`,
  })
  // In the live world the name is unknown, and this service has no live world.
  expect((await fetch(`${kassa.url}/p/${encodeURIComponent('чай-лучший')}`)).status).toBe(404)
})

test('the poster shows the short address for people who type', async () => {
  await setProduct(kassa.ctx, { ...terms, merchantId: shop.merchantId, id: 'jam' })
  await store('plum-jam', shop, 'jam')
  const answer = await fetch(`${kassa.url}/install/${shop.publicKey}/poster?product=jam`)
  expect(/data-testid="poster-link">([^<]+)</.exec(await answer.text())?.[1]).toBe(
    `${kassa.ctx.baseUrl}/p/test/plum-jam`,
  )
})

test('an address that another process retires leads nowhere within a second', async () => {
  await store('two-processes')
  expect(await leadsTo('two-processes')).toBe(`/pay/${shop.publicKey}/tea`)
  const named = ['--merchant', shop.merchantId, '--name', 'two-processes']
  const { answer } = await operateJson({ DATABASE_URL: kassa.databaseUrl }, ['address', 'retire', ...named])
  expect(answer).toMatchObject({ state: 'retired' })
  await expectWithin(1_000, () => leadsTo('two-processes'), null)
})

test('a retired name stays with its merchant for good', async () => {
  await store('sor-tea')
  await retire('sor-tea')
  await expect(store('s0rtea', rival)).rejects.toThrow('duplicate key')
  await expect(retire('sor-tea', rival)).rejects.toMatchObject({ code: 'validation_failed' })
  for (const change of [
    'delete from sandbox.short_addresses',
    `update sandbox.short_addresses set merchant_id = '${rival.merchantId}'`,
  ])
    await expect(kassa.ctx.db.query(`${change} where name = 'sor-tea'`)).rejects.toThrow('for good')
  expect(await retire('sor-tea')).toMatchObject({ state: 'retired' })
})

test('a name that was never approved leads nowhere, and is deleted when it is ended', async () => {
  await storeShortAddress(kassa.ctx.db, shop, { name: 'wish', state: 'asked' })
  expect(await leadsTo('wish')).toBeNull()
  expect(await retire('wish')).toBeNull()
  expect((await listAddresses(kassa.ctx, shop.merchantId)).map(({ name }) => name)).not.toContain('wish')
})

test('the address of a closed merchant leads nowhere', async () => {
  const closed = await openShop(kassa.ctx)
  await store('closed-shop', closed)
  expect(await leadsTo('closed-shop')).toBe(`/pay/${closed.publicKey}/tea`)
  await kassa.ctx.db.query(
    `update kassa.merchants set state = 'closed', stopped_at = now() where id = '${closed.merchantId}'`,
  )
  await expectWithin(2_000, () => leadsTo('closed-shop'), null)
})

test('a stranger cannot tell a retired name from a waiting one and from none', async () => {
  await storeShortAddress(kassa.ctx.db, shop, { name: 'waiting', state: 'asked' })
  await store('retired-name')
  await retire('retired-name')
  const gone = await openShop(kassa.ctx)
  await store('revoked-key', gone)
  await revokeInstallation(kassa.ctx, gone.installationId)
  const seen = async (name: string) => {
    const { status, text } = await open(name, '?locale=en')
    return [status, text.replaceAll(name, 'NAME')]
  }
  const [none, ...others] = await Promise.all(
    ['no-such-name', 'waiting', 'retired-name', 'revoked-key'].map(seen),
  )
  for (const other of others) expect(other).toEqual(none)
  expect(none?.[0]).toBe(404)
  expect(none?.[1]).toContain('the shop no longer uses it')
})

test('no id of a product leads away from this service', async () => {
  for (const [at, id] of [
    '//evil.example',
    '/\\evil.example',
    '..',
    '../../x',
    'https://evil.example',
  ].entries()) {
    await setProduct(kassa.ctx, { merchantId: shop.merchantId, id, ...terms })
    await store(`odd-${at}-id`, shop, id)
    await expectWithin(
      2_000,
      async () => (await leadsTo(`odd-${at}-id`))?.startsWith(`/pay/${shop.publicKey}/`),
      true,
    )
  }
})
