/** `account`: whose contract with a provider the money goes through. */
import { type AccountView, getAccountView, listAccounts } from '../../../accounts/manage.ts'
import { testAccount } from '../../../operator/account-check.ts'
import { PAY_EXAMPLE, PAY_FLAGS, payTest, refuseWithoutPay } from '../../account-pay.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { optional, required, toggle } from '../../flag.ts'
import { listText, paragraphs } from '../../layout.ts'
import { ask } from './account-ask.ts'
import { customer } from './account-customer.ts'
import { blocksText, factsText, healthText, refusalText, show, stateOf } from './account-text.ts'

const ACCOUNT = required('ID', "the account's id (acc_...)")
const MARKS = { ok: 'ok     ', problem: 'PROBLEM', unknown: 'unknown' }

const test = verb({
  name: 'test',
  needs: 'operator',
  summary: 'Ask the provider something harmless, and say what is wrong',
  flags: { account: ACCOUNT, ...PAY_FLAGS },
  examples: ['--account acc_01...', '--account acc_test_01... --pay', PAY_EXAMPLE],
  async run(ctx, { account: accountId, ...given }, tools) {
    if (given.pay) return payTest(ctx, accountId, given, tools)
    refuseWithoutPay(given)
    const findings = await testAccount(ctx, accountId)
    const { callbackUrl } = await getAccountView(ctx, accountId)
    const wrong = findings.filter(({ state }) => state === 'problem')
    const lines = findings.map(({ state, message }) => `  ${MARKS[state]}  ${message}`)
    return {
      json: { accountId, works: wrong.length === 0, findings, callbackUrl },
      text: paragraphs(
        `Tested the account ${accountId}.`,
        lines.join('\n'),
        callbackUrl && `Address for the provider's callbacks: ${callbackUrl}`,
      ),
      ...(wrong.length > 0 && {
        problem: { code: 'account_faulty', message: wrong.map(({ message }) => message).join(' ') },
      }),
    }
  },
})

/** The whole address of each account whose provider reports to it. */
function callbackText(accounts: AccountView[]): string | null {
  const addresses = accounts.flatMap(({ callbackUrl }) => callbackUrl ?? [])
  return addresses.length > 0 ? `Addresses for the providers' callbacks:\n  ${addresses.join('\n  ')}` : null
}

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the accounts: driver, owner, currencies and who may use each',
  flags: {
    merchant: optional('ID', 'only accounts that this merchant may use'),
    all: toggle('also list retired accounts'),
  },
  examples: ['', '--merchant mer_01...', '--all'],
  async run(ctx, { merchant: merchantId, all }) {
    const accounts = await listAccounts(ctx, { merchantId, all })
    const rows = accounts.map((each) => [
      each.accountId,
      each.route,
      each.driver,
      each.currencies.join(', '),
      each.owner ?? (each.shared ? 'every merchant' : (each.merchants ?? []).join(', ') || 'no merchant yet'),
      stateOf(each),
    ])
    const text = listText(
      ['Account', 'Route', 'Driver', 'Currencies', 'Used by', 'State'],
      rows,
      'There is no such account.',
      ...accounts.map((each) => each.blocks.length > 0 && `${each.accountId}: ${blocksText(each)}`),
      ...accounts.map((each) => each.health.state !== 'ok' && `${each.accountId}: ${healthText(each)}`),
      ...accounts.map(
        ({ accountId, lastRefusal }) =>
          lastRefusal && `${accountId}: the provider last refused at ${refusalText(lastRefusal)}`,
      ),
      callbackText(accounts),
    )
    return { json: { accounts }, text }
  },
})

const showVerb = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an account: settings, health, and what is known of it',
  flags: { account: ACCOUNT },
  examples: ['--account acc_01...'],
  async run(ctx, { account: accountId }) {
    const account = await getAccountView(ctx, accountId)
    return {
      json: account,
      text: paragraphs(
        show(account),
        factsText(account),
        `To ask the provider again: ${ADMIN} account test --account ${accountId}`,
      ),
    }
  },
})

export const account: Noun = {
  name: 'account',
  summary: 'Set, test, show, share, rotate and retire provider accounts',
  verbs: [ask, test, list, showVerb, customer],
}
