import { expect, test } from 'vitest'
import type { ActName, NextAct } from '../errors.ts'
import { operateHere } from '../testing/operator.ts'
import { commandOf, nextStep } from './next-step.ts'

const at = { merchantId: 'mer_1' }
const page = { installationId: 'ins_1', origin: 'https://shop.example' }
const SAMPLES: { [Name in ActName]: NextAct<Name> } = {
  list_merchants: { act: 'list_merchants' },
  list_tokens: { act: 'list_tokens' },
  list_installations: { act: 'list_installations' },
  list_payments: { act: 'list_payments' },
  list_operations: { act: 'list_operations' },
  list_subscriptions: { act: 'list_subscriptions' },
  list_events: { act: 'list_events' },
  list_accounts: { act: 'list_accounts' },
  list_products: { act: 'list_products', ...at },
  issue_token: { act: 'issue_token', ...at },
  set_callback: { act: 'set_callback', ...at },
  verify_callback: { act: 'verify_callback', ...at },
  approve_origin: { act: 'approve_origin', ...at },
  approve_page: { act: 'approve_page', ...at, page: 'https://social.example/potter' },
  create_installation: {
    act: 'create_installation',
    ...at,
    origins: ['https://shop.example', 'https://pay.shop.example:8443'],
    returnUrl: 'https://shop.example/thanks',
    provider: 'route_b',
  },
  allow_origin: { act: 'allow_origin', ...page },
  diagnose_origin: { act: 'diagnose_origin', ...page },
  revoke_installation: { act: 'revoke_installation', installationId: 'ins_1' },
  show_payment: { act: 'show_payment', paymentId: 'pay_1' },
  confirm_payment: { act: 'confirm_payment', paymentId: 'pay_1' },
  note_return: { act: 'note_return', paymentId: 'pay_1' },
  verify_elsewhere: { act: 'verify_elsewhere', directory: '/backups/one' },
  confirm_restored: { act: 'confirm_restored', person: 'Ani' },
  reopen_database: { act: 'reopen_database' },
  plan_upgrade: { act: 'plan_upgrade' },
  upgrade_database: { act: 'upgrade_database' },
}

test.each(Object.values(SAMPLES))('the parser accepts the command for $act', async (act) => {
  const [program, ...words] = commandOf(act).split(' -- ')
  expect(program).toBe('npm run -s admin')
  // Opening the service is the first thing that a well-formed command does.
  const { stderr } = await operateHere(() => Promise.reject(new Error('opened')), words.join().split(' '))
  expect(stderr).toContain('opened')
  expect(nextStep(act)).toMatch(/^[A-Z][\w' ]+: npm run -s admin -- \w+/)
})

test('a new installation gets every origin, the return URL and the route of the revoked one', () => {
  expect(commandOf(SAMPLES.create_installation)).toBe(
    'npm run -s admin -- installation create --merchant mer_1 --origin https://shop.example --origin https://pay.shop.example:8443 --return-url https://shop.example/thanks --route route_b',
  )
})

test('an origin that a stranger sent cannot run anything in the shell', () => {
  const origin = "https://a;$(id)`id`'b.example"
  expect(commandOf({ act: 'allow_origin', installationId: 'ins_1', origin })).toContain(
    `--origin 'https://a;$(id)\`id\`'\\''b.example'`,
  )
})
