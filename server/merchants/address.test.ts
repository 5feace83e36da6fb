/** Short addresses: whose a name is, where it leads, and what a stranger learns. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectWithin } from '../testing/expect-within.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { operateJson } from '../testing/operator.ts'
import { approveAddress, askAddress, listAddresses, retireAddress, WAITING_MAX } from './address.ts'
import { keyOfTyped, parseAddressName } from './address-name.ts'
import { revokeInstallation } from './installation.ts'
import { setProduct } from './product.ts'

let kassa: Kassa
let shop: Shop
let rival: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  rival = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

const ask = (name: string, { installationId }: Shop = shop, productId = 'tea') =>
  askAddress(kassa.ctx, { name, installationId, productId })
const approve = (name: string, { merchantId }: Shop = shop) => approveAddress(kassa.ctx, { merchantId, name })
const retire = (name: string, { merchantId }: Shop = shop) => retireAddress(kassa.ctx, { merchantId, name })
const terms = { name: 'Odd', amountMinor: 100, currency: 'USD', provider: null } as const
const taken = { code: 'validation_failed', message: expect.stringContaining('is not free') }

async function open(typed: string, query = '') {
  const address = `${kassa.url}/p/test/${encodeURIComponent(typed)}${query}`
  const answer = await fetch(address, { redirect: 'manual', headers: { accept: 'text/html' } })
  return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() }
}
const leadsTo = async (typed: string) => (await open(typed)).to

describe('a name', () => {
  test.each(['tea', 'mountain-tea', 'чай-с-чабрецом', 'ուրց-թեյ', 'cafe24', 'Tea'])(
    '%s is possible',
    (name) => expect(parseAddressName(name).name).toBe(name.toLowerCase()),
  )

  test.each([
    ...[
      'te',
      'x'.repeat(31),
      '-tea',
      'tea-',
      'te--a',
      'te a',
      'te.a',
      'te_a',
      '123',
      '4-5',
      'tëa',
      'te/a',
      '../x',
    ],
    // Letters of two alphabets.
    ...['tеa', 'чaй', 'թeյ'],
    // Words of the service, and what looks like them.
    ...['test', 'Kassa', 'касса', 'оплата', 'բանկ', 'he1p', 'l0gin', 'p-a-y'],
  ])('%s is refused', (name) =>
    expect(() => parseAddressName(name)).toThrow(expect.objectContaining({ code: 'validation_failed' })),
  )

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

test('a name leads to the pay page from its approval on, as people type it, and in the language of the visit', async () => {
  expect(await ask('чай-лучший')).toMatchObject({ state: 'asked', name: 'чай-лучший' })
  expect(await open('чай-лучший')).toMatchObject({ status: 404, to: null })
  await approve('чай-лучший')
  const pay = `/pay/${shop.publicKey}/tea`
  await expectWithin(2_000, () => leadsTo('чай-лучший'), pay)
  expect(await Promise.all(['ЧАЙ лучший', 'чайлучшии', 'чaй-лучший'].map(leadsTo))).toEqual([pay, pay, pay])
  expect(await open('чай-лучший', '?locale=ru&x=//evil.example')).toMatchObject({
    status: 302,
    to: `${pay}?locale=ru`,
  })
  // In the live world the name is unknown, and this service has no live world.
  expect((await fetch(`${kassa.url}/p/${encodeURIComponent('чай-лучший')}`)).status).toBe(404)
})

test('the poster shows the approved address for people who type, and the pay link before', async () => {
  await setProduct(kassa.ctx, { ...terms, merchantId: shop.merchantId, id: 'jam' })
  const shown = async () => {
    const answer = await fetch(`${kassa.url}/install/${shop.publicKey}/poster?product=jam`)
    return /data-testid="poster-link">([^<]+)</.exec(await answer.text())?.[1]
  }
  await ask('plum-jam', shop, 'jam')
  expect(await shown()).toBe(`${kassa.ctx.baseUrl}/pay/${shop.publicKey}/jam`)
  await approve('plum-jam')
  await expectWithin(2_000, shown, `${kassa.ctx.baseUrl}/p/test/plum-jam`)
})

test('another process that changes the address is noticed within a second', async () => {
  await ask('two-processes')
  const run = (...args: string[]) => operateJson({ DATABASE_URL: kassa.databaseUrl }, ['address', ...args])
  const named = ['--merchant', shop.merchantId, '--name', 'two-processes']
  expect((await run('approve', ...named)).answer).toMatchObject({ state: 'approved' })
  await expectWithin(1_000, () => leadsTo('two-processes'), `/pay/${shop.publicKey}/tea`)
  const cup = ['--installation', shop.installationId, '--product', 'cup', '--name', 'two-processes']
  expect((await run('ask', ...cup)).answer).toMatchObject({ state: 'approved', productId: 'cup' })
  await expectWithin(1_000, () => leadsTo('two-processes'), `/pay/${shop.publicKey}/cup`)
  expect((await run('retire', ...named)).answer).toMatchObject({ state: 'retired' })
  await expectWithin(1_000, () => leadsTo('two-processes'), null)
})

test('a retired name never goes to another merchant, nor does one that looks like it', async () => {
  await ask('sor-tea')
  await approve('sor-tea')
  await retire('sor-tea')
  await expect(ask('sor-tea', rival)).rejects.toMatchObject(taken)
  await expect(ask('s0rtea', rival)).rejects.toMatchObject(taken)
  await expect(approve('sor-tea', rival)).rejects.toMatchObject({ code: 'validation_failed' })
  await expect(retire('sor-tea', rival)).rejects.toMatchObject({ code: 'validation_failed' })
  expect(await ask('sor-tea')).toMatchObject({ state: 'asked' })
  // Not even by hand.
  for (const change of [
    'delete from sandbox.short_addresses',
    `update sandbox.short_addresses set merchant_id = '${rival.merchantId}'`,
  ])
    await expect(kassa.ctx.db.query(`${change} where name = 'sor-tea'`)).rejects.toThrow('for good')
  // Refusing the second wish does not set the name free.
  expect(await retire('sor-tea')).toMatchObject({ state: 'retired' })
})

test('a name that was only asked for is free again after a refusal', async () => {
  await ask('wish')
  await expect(ask('wish', rival)).rejects.toMatchObject(taken)
  expect(await retire('wish')).toBeNull()
  expect(await ask('wish', rival)).toMatchObject({ merchantId: rival.merchantId })
})

test('of two merchants who ask for one name at once, exactly one gets it', async () => {
  for (let round = 0; round < 30; round++) {
    const wishes = await Promise.allSettled([ask(`race-${round}`), ask(`RACE${round}`, rival)])
    expect(wishes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = wishes.find((each) => each.status === 'rejected')
    expect(lost?.reason).toMatchObject(taken)
    // Only so many names of a merchant may wait.
    const won = wishes.find((each) => each.status === 'fulfilled')
    if (won) await approveAddress(kassa.ctx, won.value)
  }
  const owners = (await listAddresses(kassa.ctx)).filter(({ name }) => /^race/.test(name))
  expect(owners.length).toBe(30)
})

test('only so many names of a merchant wait, also if it asks for several at once, and its own names can be moved', async () => {
  const many = await openShop(kassa.ctx)
  const full = { code: 'validation_failed', message: expect.stringContaining('wait for an approval') }
  // No two of them look alike.
  for (let n = 1; n < WAITING_MAX; n++) await ask(`cup-${'a'.repeat(n)}`, many)
  for (let round = 0; round < 10; round++) {
    const atOnce = await Promise.allSettled(['w', 'x', 'y', 'z'].map((letter) => ask(`cup-${letter}`, many)))
    const [won, ...others] = atOnce.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    expect([round, won?.state, others]).toEqual([round, 'asked', []])
    for (const each of atOnce) if (each.status === 'rejected') expect(each.reason).toMatchObject(full)
    if (round < 9 && won) await retire(won.name, many)
  }
  const waiting = async () =>
    (await listAddresses(kassa.ctx, many.merchantId)).filter(({ state }) => state === 'asked').length
  expect(await waiting()).toBe(WAITING_MAX)
  // A refused wish keeps the name from nobody.
  await expect(ask('plate', many)).rejects.toMatchObject(full)
  await ask('plate', rival)
  await retire('plate', rival)
  // What waits already leads elsewhere, and one that is approved makes room for one.
  expect(await ask('cup-a', many, 'cup')).toMatchObject({ state: 'asked', productId: 'cup' })
  await approve('cup-a', many)
  await ask('plate', many)
  expect(await ask('cup-a', many, 'tea')).toMatchObject({ state: 'approved', productId: 'tea' })
  // A retired name that is asked for again waits, too.
  await retire('cup-a', many)
  await expect(ask('cup-a', many)).rejects.toMatchObject(full)
  expect(await waiting()).toBe(WAITING_MAX)
})

test('a stranger cannot tell a retired name from a waiting one and from none', async () => {
  await ask('waiting')
  await ask('retired-name')
  await approve('retired-name')
  await retire('retired-name')
  const gone = await openShop(kassa.ctx)
  await ask('revoked-key', gone)
  await approve('revoked-key', gone)
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
    await ask(`odd-${at}-id`, shop, id)
    await approve(`odd-${at}-id`)
    await expectWithin(
      2_000,
      async () => (await leadsTo(`odd-${at}-id`))?.startsWith(`/pay/${shop.publicKey}/`),
      true,
    )
  }
})
