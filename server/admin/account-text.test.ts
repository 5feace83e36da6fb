/** The account commands: what an operator reads, with nothing secret in it, and accounts of merchants at the simulated bank. */
import { describe, expect, test } from 'vitest'
import { createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { openShop } from '../testing/harness.ts'
import { operateHere } from '../testing/operator.ts'
import { openKassa } from '../testing/scene.ts'

const kassa = await openKassa({ settings: { ROUTE_B_DRIVER: 'sandbox', ROUTE_B_SHARED: 'false' } })

const secrets: string[] = []

/** Returns what was printed. The lines of a table have single spaces. */
async function read(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await operateHere(async () => kassa.ctx, ['account', ...args])
  expect([code, stderr]).toEqual([0, ''])
  if (args[0] !== 'customer') for (const secret of secrets) expect(stdout).not.toContain(secret)
  return stdout.replaceAll(/ {2,}/g, '  ')
}

/** Opens a customer number at the bank. Returns what was printed, and its secret. */
async function openCustomer(customer: string) {
  const text = await read('customer', '--customer', customer)
  const secret = /bks_test_\w+/.exec(text)?.[0] ?? ''
  expect(secret).not.toBe('')
  secrets.push(secret)
  return { text, secret }
}

/** Opens a shop with an account of its own. `set`: sets it, with this customer number and secret. */
async function openAccount(customer: string) {
  const { merchantId } = await openShop(kassa.ctx)
  const { secret } = await openCustomer(customer)
  const route = ['--route', 'route_a', '--driver', 'sandbox', '--currency', 'USD']
  const set = (number: string, known: string) =>
    read('set', '--merchant', merchantId, ...route, '--set', `CUSTOMER=${number}`, '--set', `SECRET=${known}`)
  const text = await set(customer, secret)
  const accountId = /acc_test_\w+/.exec(text)?.[0] ?? ''
  return { merchantId, secret, set, text, accountId }
}

test('customer: prints the secret, and what to do with it', async () => {
  const { text } = await openCustomer('shop-1')
  expect(text).toContain('shop-1')
  expect(text).toContain('account set')
})

test('set: says what was created, whose it is, and what comes next', async () => {
  const { text, accountId, merchantId } = await openAccount('shop-2')
  expect(text).toContain('Created the account. New payments of the merchant on this route use it.')
  expect(text).toContain(`Account  ${accountId}`)
  expect(text).toContain(`Owner  ${merchantId}`)
  expect(text).toContain('Currencies  USD')
  expect(text).toContain('Settings  CUSTOMER=shop-2')
  expect(text).toContain('Credentials  SECRET')
  expect(text).toContain('Credentials are stored encrypted. They are never shown again.')
  expect(text).toContain(`account test --account ${accountId}`)
})

test('set again: says that the contract is known, and that another contract replaces it', async () => {
  const { set, secret, accountId } = await openAccount('shop-3')
  expect(await set('shop-3', secret)).toContain(
    'This contract is known: the account has the new settings, and stays',
  )
  expect(await set('shop-8', 'another')).toContain(
    `It replaces ${accountId}, which is retired: it is still asked about its own payments.`,
  )
  expect(await set('shop-3', secret)).toContain(
    'This contract had an account that was retired. The account is in use again.',
  )
})

test('test: prints a line for each finding, and fails with the problem', async () => {
  const { accountId } = await openAccount('shop-4')
  const text = await read('test', '--account', accountId)
  expect(text).toContain(`Tested the account ${accountId}.`)
  expect(text).toContain(`Address for the provider's callbacks: ${kassa.ctx.baseUrl}/callbacks/${accountId}`)
  expect(text).toMatch(/ok {2}The bank at http\S+ takes the credentials of shop-4\./)
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
  const { accountId, secret } = await openAccount('shop-5')
  await read('rotate', '--account', accountId, '--set', 'SECRET=wrong')
  const text = await read('rotate', '--account', accountId, '--set', `SECRET=${secret}`)
  expect(text).toContain('Every process uses the new values.')
  expect(text).toContain(`Account  ${accountId}`)
  expect(await read('test', '--account', accountId)).not.toContain('PROBLEM')
})

test('allow: says whose money it is, and ends it again', async () => {
  const { merchantId } = await openShop(kassa.ctx)
  const own = kassa.ctx.routes.route_b.id
  expect(await read('list')).toMatch(new RegExp(`${own} .*no merchant yet`))
  const text = await read('allow', '--account', own, '--merchant', merchantId)
  expect(text).toContain('may use the account. Their money goes to the deployment.')
  expect(text).toContain('Owner  the deployment')
  expect(text).toContain(`Used by  ${merchantId}`)
  const ended = await read('allow', '--account', own, '--merchant', merchantId, '--remove')
  expect(ended).toContain(
    'New payments of the merchant do not use the account any more. Earlier ones stay with it.',
  )
  expect(ended).toContain('Used by  no merchant yet')
})

test('retire and list: a retired account is listed while it blocks payments, and afterwards only with --all', async () => {
  const { merchantId, accountId } = await openAccount('shop-6')
  expect(await read('list', '--merchant', merchantId)).toContain(accountId)
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

describe('an account at the simulated bank', () => {
  const run = (...args: string[]) => operateHere(async () => kassa.ctx, args)
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

  test('a merchant gets an account of its own at the simulated bank, and a wrong secret is found by the test', async () => {
    const { merchantId, ...shop } = await openShop(kassa.ctx)
    const { secret } = await json('account', 'customer', '--customer', 'shop-7')
    const set = ['account', 'set', '--merchant', merchantId, '--route', 'route_a', '--driver', 'sandbox']
    const own = await json(...set, '--set', 'CUSTOMER=shop-7', '--set', `SECRET=${secret}`)
    expect(await json('account', 'test', '--account', own.accountId)).toMatchObject({ works: true })
    const { body } = await createSession(kassa.url, { merchantId, ...shop }, { body: sessionRequest() })
    expect(body.providerCheckoutUrl).toContain('/shop-7/')
    await payAtBank(`${body.checkoutUrl}/continue`, 'paid')
    expect(await json('payment', 'show', '--payment', body.id)).toMatchObject({ payment: { status: 'paid' } })
    await json('account', 'rotate', '--account', own.accountId, '--set', `SECRET=${secret.slice(0, -1)}`)
    const tested = await run('account', 'test', '--account', own.accountId, '--json')
    expect(JSON.parse(tested.stdout || tested.stderr)).toMatchObject({ works: false })
  })

  test('a name that the bank does not take is rejected with the rule', async () => {
    expect((await run('account', 'customer', '--customer', 'no spaces')).stderr).toContain('1 to 64 letters')
  })
})
