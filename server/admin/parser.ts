/** Finds the command for the typed arguments, and prints the help at every level. */
import { Command, CommanderError, Option } from 'commander'
import { AppError } from '../errors.ts'
import { isId } from '../id.ts'
import type { Setting } from '../settings/setting.ts'
import { SETTINGS } from '../settings/table.ts'
import type { Named } from './acting.ts'
import { commandsOf } from './acts/command.ts'
import { ADMIN, type Noun, type Run, type Verb } from './command.ts'
import { account } from './commands/accounts/account.ts'
import { desk } from './commands/books/desk.ts'
import { reconcile } from './commands/books/reconcile.ts'
import { report } from './commands/books/report.ts'
import { callback } from './commands/callback.ts'
import { clock } from './commands/clock.ts'
import { event } from './commands/event.ts'
import { installation } from './commands/installation.ts'
import { merchant } from './commands/merchant.ts'
import { operation } from './commands/operation.ts'
import { order } from './commands/orders/order.ts'
import { payment } from './commands/payments/payment.ts'
import { route } from './commands/route.ts'
import { subscription } from './commands/subscription.ts'
import { approval } from './commands/upkeep/approval.ts'
import { audit } from './commands/upkeep/audit.ts'
import { backup } from './commands/upkeep/backup.ts'
import { database } from './commands/upkeep/database.ts'
import { restore } from './commands/upkeep/restore.ts'
import { secrets } from './commands/upkeep/secrets.ts'
import { service } from './commands/upkeep/service.ts'
import { user } from './commands/upkeep/user.ts'
import { flagName } from './flag.ts'
import { pairs } from './layout.ts'

const BY_HAND: readonly Noun[] = [
  service,
  desk,
  merchant,
  { name: 'token', summary: 'Issue, list, limit, rotate and revoke API keys', verbs: [] },
  { name: 'origin', summary: 'Allow origins for calls to /v1, and approve reviewed domains', verbs: [] },
  callback,
  { name: 'product', summary: 'Set, list and remove the products of pay buttons', verbs: [] },
  installation,
  order,
  { name: 'address', summary: 'List and end the short addresses of products', verbs: [] },
  payment,
  { name: 'link', summary: 'Create payment links', verbs: [] },
  operation,
  { name: 'receipt', summary: 'List, retry and resolve fiscal receipts', verbs: [] },
  { name: 'mail', summary: 'Check the mail server, list and resend mails', verbs: [] },
  subscription,
  { name: 'saved-method', summary: 'Revoke payment methods that buyers have saved', verbs: [] },
  event,
  report,
  reconcile,
  account,
  route,
  clock,
  user,
  approval,
  audit,
  { name: 'customer', summary: 'Forget a buyer', verbs: [] },
  secrets,
  backup,
  restore,
  database,
]

/** The acts of a noun stand in the table of acts. What only reads, and what works on the database, stands with the noun. */
export const NOUNS: readonly Noun[] = BY_HAND.map((noun) => ({
  ...noun,
  verbs: [...commandsOf(noun.name), ...noun.verbs],
}))

/** Prints help: to `out` if the operator asked for it, to `err` if the arguments are incomplete. */
type Print = { out(text: string): void; err(text: string): void }

/** A command with its values, and what the audit log calls it. */
export type Chosen = Run & Named

/** Returns the command, ready to run. Returns null if the arguments ask for help, which is then already printed. */
export function parseArguments(args: string[], print: Print): Chosen | null {
  let chosen: Chosen | null = null
  const program = buildProgram(args, print, (run) => {
    chosen = run
  })
  try {
    program.parse(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return null
    throw error
  }
  return chosen
}

/** Of the nouns only those among the arguments get their verbs, because the flags of all of them take longer than most commands. */
function buildProgram(args: string[], print: Print, choose: (run: Chosen) => void): Command {
  const program = new Command(ADMIN)
    .description('Operate a Kassa service. The commands work whether or not the service is running.')
    .usage('NOUN VERB [flags]')
    .option('--json', 'print exactly one JSON object')
    .option('--live', "work on the live world; the default is MODE's world")
    .option('--sandbox', "work on the sandbox; the default is MODE's world")
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .configureOutput({ writeOut: print.out, writeErr: print.err, outputError: () => {} })
    .addHelpText('after', PROGRAM_EXAMPLES)
  refuseIn(program)
  for (const noun of NOUNS) {
    const command = program.command(noun.name).description(noun.summary).usage('VERB [flags]')
    refuseIn(command)
    command.addHelpText('after', `\nMore: ${ADMIN} ${noun.name} VERB --help`)
    if (!args.includes(noun.name)) continue
    for (const verb of noun.verbs) addVerb(command, noun, verb, choose)
  }
  return program
}

const SHARED_SETTINGS = Object.values<Setting>(SETTINGS)
  .filter(({ commands }) => commands)
  .map(({ name, about }): [string, string] => [name, about.replaceAll('`', '').replace(/\. .*/, '.')])
  .concat([['ROUTE_*', 'The drivers of the routes and their settings.']])

const PROGRAM_EXAMPLES = `
Examples:
  ${ADMIN} merchant create --name "My shop"
  ${ADMIN} payment show --payment pay_01...
  ${ADMIN} payment list --json

The commands read their settings from the environment, as the service does. Give them the same values as the service:
${pairs(SHARED_SETTINGS)}`

function addVerb(parent: Command, noun: Noun, verb: Verb, choose: (run: Chosen) => void): void {
  const command = parent.command(verb.name, { isDefault: noun.plain === verb.name }).description(verb.summary)
  refuseIn(command)
  const { words, ...flags } = verb.flags
  const usage = Object.entries(flags).map(([name, { placeholder, need }]) => {
    const flag = placeholder === null ? flagName(name) : `${flagName(name)} ${placeholder}`
    const shown = need.startsWith('required') ? flag : `[${flag}]`
    return need.endsWith('repeatable') ? `${shown} ...` : shown
  })
  command.usage([...(words ? [`${words.placeholder} ...`] : []), ...usage, '[--json]'].join(' '))
  if (words) command.argument(`<${words.placeholder}...>`, words.help)
  for (const [name, { placeholder, need, help }] of Object.entries(flags)) {
    // A repeatable flag takes several values at once too: --scope A B.
    const value = need.endsWith('repeatable') ? `<${placeholder}...>` : `<${placeholder}>`
    const option = new Option(placeholder === null ? flagName(name) : `${flagName(name)} ${value}`, help)
    option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text])
    command.addOption(option)
  }
  const calls = verb.examples.map((example) => `  ${ADMIN} ${noun.name} ${verb.name} ${example}`.trimEnd())
  command.addHelpText('after', `\nExamples:\n${calls.join('\n')}`)
  command.action((...parsed: unknown[]) => {
    const operands = words ? { words: parsed[0] } : {}
    const given: object = { ...(parsed[words ? 1 : 0] as object), ...operands }
    const texts = Object.fromEntries(
      Object.entries(given as Record<string, string[] | true>).map(([name, value]) => [
        name,
        value === true ? ['true'] : value,
      ]),
    )
    choose({
      ...verb.prepare(texts, helpOf(command)),

      what: `${noun.name} ${verb.name}`,
      needs: verb.needs,
      ...(verb.reads && { reads: verb.reads }),
      withoutLog: verb.withoutLog,
      ids: idsIn(texts),
    })
  })
}

/** The ids among the values. Other values may be secrets, or texts about a buyer. */
function idsIn(texts: Record<string, string[]>): string[] {
  return Object.values(texts).flat().filter(isId)
}

/** Turns the parser's errors into ours, and adds how to see the help of the command. */
function refuseIn(command: Command): void {
  command.exitOverride((refusal) => {
    if (refusal.exitCode === 0) throw refusal
    const known = command.commands.map((each) => each.name()).join(', ')
    const hint = `${known ? `There are: ${known}. ` : ''}${helpOf(command)}`
    // Commander has already printed the whole help, because nothing follows the noun.
    if (refusal.code === 'commander.help')
      throw new AppError('validation_failed', {
        message: command.parent ? `Say what to do with the ${command.name()}.` : 'Say a noun and a verb.',
        hint,
      })
    throw new AppError('validation_failed', { message: sentence(refusal.message), hint })
  })
}

/** `error: unknown option '--nam'` becomes `Unknown option '--nam'`. */
function sentence(message: string): string {
  const text = message.replace(/^error: /, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function helpOf(command: Command): string {
  return `Help: ${pathOf(command)} --help`
}

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()
}
