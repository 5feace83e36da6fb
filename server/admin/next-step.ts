/** Words an operator's next act as the command that does it. */
import type { World } from '../contract/health.ts'
import type { ActName, NextAct } from '../errors.ts'
import { ADMIN, shellWord } from './command.ts'

/** `lead` says what the command does. `words` are the arguments; they are quoted for the shell later. */
type Step<Name extends ActName> = { lead: string; words: (act: NextAct<Name>) => string[] }

const SOME_MERCHANT = ['--merchant', 'ID']
const SOME_URL = ['--url', 'https://shop.example/kassa/callback']
const SOME_ORIGIN = ['--origin', 'https://shop.example']

const inWorldOf = ({ world }: { world?: World }) => (world ? [`--${world}`] : [])
const at = ({ merchantId }: { merchantId: string }) => ['--merchant', merchantId]
const STEPS: { [Name in ActName]: Step<Name> } = {
  list_merchants: { lead: 'List the merchants', words: () => ['merchant', 'list'] },
  list_tokens: {
    lead: 'List the tokens of a merchant',
    words: () => ['token', 'list', ...SOME_MERCHANT],
  },
  list_installations: {
    lead: 'List the installations of a merchant',
    words: () => ['installation', 'list', ...SOME_MERCHANT],
  },
  list_payments: { lead: 'List the newest payments', words: () => ['payment', 'list'] },
  list_operations: { lead: 'List the newest operations', words: () => ['operation', 'list'] },
  list_subscriptions: { lead: 'List the newest subscriptions', words: () => ['subscription', 'list'] },
  list_events: { lead: 'List the newest events', words: () => ['event', 'list'] },
  list_accounts: { lead: 'List the provider accounts', words: () => ['account', 'list'] },
  list_products: {
    lead: "List the merchant's products",
    words: (act) => ['product', 'list', ...at(act)],
  },
  issue_token: { lead: 'Issue another token', words: (act) => ['token', 'issue', ...at(act)] },
  set_callback: {
    lead: 'Set the callback URL',
    words: (act) => ['callback', 'set', ...at(act), ...SOME_URL, ...inWorldOf(act)],
  },
  verify_callback: {
    lead: 'Verify the callback URL',
    words: (act) => ['callback', 'verify', ...at(act), ...inWorldOf(act)],
  },
  approve_origin: {
    lead: 'Approve the domain after you have reviewed it',
    words: ({ origin, ...act }) => [
      ...['origin', 'approve', ...at(act)],
      ...(origin === undefined ? SOME_ORIGIN : ['--origin', origin]),
    ],
  },
  approve_page: {
    lead: 'Approve the page after you have looked at it',
    words: ({ page: address, ...act }) => ['origin', 'approve', ...at(act), '--page', address],
  },
  create_installation: { lead: 'Create a new installation', words: createInstallation },
  allow_origin: { lead: 'Allow the origin', words: (act) => ['installation', 'allow', ...page(act)] },
  diagnose_origin: {
    lead: 'Check the origin again',
    words: (act) => ['installation', 'doctor', ...page(act)],
  },
  revoke_installation: {
    lead: 'Revoke the installation',
    words: ({ installationId }) => ['installation', 'revoke', '--installation', installationId],
  },
  show_payment: {
    lead: 'Show the payment',
    words: ({ paymentId }) => ['payment', 'show', '--payment', paymentId],
  },
  confirm_payment: {
    lead: 'Confirm the money',
    words: ({ paymentId }) => ['payment', 'confirm', '--payment', paymentId, '--reference', 'REFERENCE'],
  },
  note_return: {
    lead: 'Then note it',
    words: ({ paymentId }) => [
      ...['payment', 'returned', '--payment', paymentId],
      ...['--amount', 'AMOUNT', '--reference', 'REFERENCE'],
    ],
  },
  verify_elsewhere: {
    lead: 'Verify it in an empty database of your own',
    words: ({ directory }) => [
      'backup',
      'verify',
      '--from',
      directory,
      '--on',
      'postgres://kassa@db.example/empty',
    ],
  },
  confirm_restored: {
    lead: 'Somebody on the host confirms it',
    words: ({ person }) => ['restore', 'confirm', '--person', person],
  },
  plan_upgrade: { lead: 'See what an upgrade would do', words: () => ['database', 'migrate', '--plan'] },
  upgrade_database: { lead: 'Upgrade the database', words: () => ['database', 'migrate'] },
  reopen_database: { lead: 'Give the move up instead', words: () => ['database', 'reopen'] },
}

function page({ installationId, origin }: { installationId: string; origin: string }): string[] {
  return ['--installation', installationId, '--origin', origin]
}

function createInstallation(act: NextAct<'create_installation'>): string[] {
  const { origins, returnUrl, provider } = act
  const pages = origins.flatMap((origin) => ['--origin', origin])
  const back = returnUrl === null ? [] : ['--return-url', returnUrl]
  const route = provider === null ? [] : ['--route', provider]
  return ['installation', 'create', ...at(act), ...pages, ...back, ...route]
}

/** The command line of an act. A value that a stranger wrote is quoted, so the shell runs nothing in it. */
export function commandOf<Name extends ActName>(act: NextAct<Name>): string {
  const { words }: Step<Name> = STEPS[act.act]
  return [ADMIN, ...words(act).map(shellWord)].join(' ')
}

/** `Set the callback URL: npm run -s admin -- callback set ...` */
export function nextStep(act: NextAct): string {
  return `${STEPS[act.act].lead}: ${commandOf(act)}`
}
