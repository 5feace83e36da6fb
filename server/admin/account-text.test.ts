/** What an operator reads from the account commands: the words that matter, and nothing secret. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'

let kassa: Kassa
let shop: Shop
let secret: string
let accountId: string
beforeAll(async () => {
  kassa = await startKassa({ settings: { ROUTE_B_DRIVER: 'sandbox', ROUTE_B_SHARED: 'false' } })
  shop = await openShop(kassa.ctx)
})
afterAll(() => kassa.close())

/** Returns what was printed. The lines of a table have single spaces. */
async function read(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await operateHere(async () => kassa.ctx, ['account', ...args])
  expect([code, stderr]).toEqual([0, ''])
  if (secret && args[0] !== 'customer') expect(stdout).not.toContain(secret)
  return stdout.replaceAll(/ {2,}/g, '  ')
}

test('customer: prints the secret, and what to do with it', async () => {
  const text = await read('customer', '--customer', 'shop-7')
  secret = /bks_test_\w+/.exec(text)?.[0] ?? ''
  expect(secret).not.toBe('')
  expect(text).toContain('shop-7')
  expect(text).toContain('account set')
})

test('set: says what was created, whose it is, and what comes next', async () => {
  const text = await read(
    ...[
      'set',
      '--merchant',
      shop.merchantId,
      '--route',
      'route_a',
      '--driver',
      'sandbox',
      '--currency',
      'USD',
    ],
    ...['--set', 'CUSTOMER=shop-7', '--set', `SECRET=${secret}`],
  )
  accountId = /acc_test_\w+/.exec(text)?.[0] ?? ''
  expect(text).toContain('Created the account. New payments of the merchant on this route use it.')
  expect(text).toContain(`Account  ${accountId}`)
  expect(text).toContain(`Owner  ${shop.merchantId}`)
  expect(text).toContain('Currencies  USD')
  expect(text).toContain('Settings  CUSTOMER=shop-7')
  expect(text).toContain('Credentials  SECRET')
  expect(text).toContain('Credentials are stored encrypted. They are never shown again.')
  expect(text).toContain(`account test --account ${accountId}`)
})

test('set again: says that the contract is known, and that another contract replaces it', async () => {
  const again = ['set', '--merchant', shop.merchantId, '--route', 'route_a', '--driver', 'sandbox']
  const known = await read(
    ...again,
    '--currency',
    'USD',
    '--set',
    'CUSTOMER=shop-7',
    '--set',
    `SECRET=${secret}`,
  )
  expect(known).toContain('This contract is known: the account has the new settings, and stays')
  const other = await read(
    ...again,
    '--currency',
    'USD',
    '--set',
    'CUSTOMER=shop-8',
    '--set',
    'SECRET=another',
  )
  expect(other).toContain(
    `It replaces ${accountId}, which is retired: it is still asked about its own payments.`,
  )
  const back = await read(
    ...again,
    '--currency',
    'USD',
    '--set',
    'CUSTOMER=shop-7',
    '--set',
    `SECRET=${secret}`,
  )
  expect(back).toContain('This contract had an account that was retired. The account is in use again.')
})

test('test: prints a line for each finding, and fails with the problem', async () => {
  const text = await read('test', '--account', accountId)
  expect(text).toContain(`Tested the account ${accountId}.`)
  expect(text).toContain(`Address for the provider's callbacks: ${kassa.ctx.baseUrl}/callbacks/${accountId}`)
  expect(text).toMatch(/ok {2}The bank at http\S+ takes the credentials of shop-7\./)
  expect(text).not.toContain('PROBLEM')
  await read('rotate', '--account', accountId, '--set', 'SECRET=wrong')
  const { code, stdout, stderr } = await operateHere(
    async () => kassa.ctx,
    ['account', 'test', '--account', accountId],
  )
  expect(code).not.toBe(0)
  expect(stdout).toContain('PROBLEM')
  expect(`${stdout}${stderr}`).toContain('the bank refuses the customer number or its secret')
})

test('rotate: says when the new values count', async () => {
  const text = await read('rotate', '--account', accountId, '--set', `SECRET=${secret}`)
  expect(text).toContain('Every process uses the new values.')
  expect(text).toContain(`Account  ${accountId}`)
  expect(await read('test', '--account', accountId)).not.toContain('PROBLEM')
})

test('allow: says whose money it is, and ends it again', async () => {
  const own = kassa.ctx.routes.route_b.id
  expect(await read('list')).toMatch(new RegExp(`${own} .*no merchant yet`))
  const text = await read('allow', '--account', own, '--merchant', shop.merchantId)
  expect(text).toContain('may use the account. Their money goes to the deployment.')
  expect(text).toContain('Owner  the deployment')
  expect(text).toContain(`Used by  ${shop.merchantId}`)
  const ended = await read('allow', '--account', own, '--merchant', shop.merchantId, '--remove')
  expect(ended).toContain(
    'New payments of the merchant do not use the account any more. Earlier ones stay with it.',
  )
  expect(ended).toContain('Used by  no merchant yet')
})

test('retire and list: a retired account is listed while it blocks payments, and afterwards only with --all', async () => {
  expect(await read('list', '--merchant', shop.merchantId)).toContain(accountId)
  const text = await read('retire', '--account', accountId)
  expect(text).toContain('The account is retired. It is still asked about its payments')
  expect(text).toMatch(/Retired {2}\d{4}-/)
  expect(text).toContain("The merchant's payments in USD on this route are refused.")
  expect(await read('list')).toMatch(new RegExp(`${accountId} .*retired \\(blocks payments in USD\\)`))
  await read('retire', '--account', accountId, '--in-favour-of-deployment')
  const left = await read('list')
  expect(left).toMatch(/^ {2}Account {2}Route {2}Driver {2}Currencies {2}Used by {2}State/)
  expect(left).toContain(`/callbacks/${kassa.ctx.routes.route_a.id}`)
  expect(left).not.toContain(accountId)
  expect(left).toContain('every merchant')
  expect(await read('list', '--all')).toMatch(new RegExp(`${accountId} .*retired`))
})
