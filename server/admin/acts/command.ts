/** The command of a row of the table of acts. Its texts stand in `messages/en/cli.json`, by the name of the act. */
import { getAccountView } from '../../accounts/manage.ts'
import { type AnyRow, formOf, nounOf, type Result } from '../../acts/act.ts'
import { doAct, rehearseAct } from '../../acts/do.ts'
import { type Field, fieldOf, type Schema } from '../../acts/input.ts'
import { keyRoleFor } from '../../acts/policy.ts'
import { ACT_ROWS } from '../../acts/table.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findMessage, sayAny } from '../../messages/say.ts'
import type { Fact } from '../../operator/approvals/facts.ts'
import { findByNumber } from '../../operator/finding/by-number.ts'
import { factLines, lineText } from '../../pages/approvals/facts.ts'
import { parseTypedAmount } from '../../payments/money.ts'
import { ADMIN, type Outcome, type Verb, verb } from '../command.ts'
import { show } from '../commands/accounts/account-text.ts'
import { describeOperation } from '../commands/operation.ts'
import { describe } from '../commands/payments/describe.ts'
import { DRY_RUN, NOTHING_CHANGED } from '../dry-run.ts'
import {
  type Flag,
  MERCHANT,
  optional,
  optionalChoice,
  repeatable,
  required,
  requiredChoice,
  severalChoices,
  toggle,
  VERSION,
} from '../flag.ts'
import { moment, pairs, paragraphs } from '../layout.ts'
import { proposedOutcome } from '../proposal-text.ts'
import { refundLimit } from './refund-limit.ts'

/** Returns the text of the catalogue; undefined if there is none. */
const textOf = (key: string): string | undefined => findMessage('en', `cli.${key}`)

/** @throws Error for a row without a text, as soon as the program starts */
function keyOf(key: string): string {
  if (textOf(key) === undefined) throw new Error(`Bug! Add "${key}" to server/messages/en/cli.json.`)
  return `cli.${key}`
}
const needed = (key: string): string => sayAny('en', keyOf(key))

/** What the sentences about an outcome may name. */
const textsOf = (values: object): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
  admin: ADMIN,
})

/** `member`: the name of the value in the input of the act. */
type MemberFlag = { member: string; name: string; flag: Flag<unknown> }
type Values = Record<string, unknown>
/** Instead of the id of a payment. */
const NUMBER = 'number'
const ABOUT = {
  shop: { name: 'merchant', flag: MERCHANT },
  account: { name: 'account', flag: required('ID', "the account's id (acc_...)") },
}

function flagOf(row: AnyRow, member: string, schema: Schema): MemberFlag | null {
  const field = fieldOf(schema)
  if (field.kind === 'seen' || field.kind === 'secret') return null
  if (field.kind === 'shop' || field.kind === 'account') return { member, ...ABOUT[field.kind] }
  if (field.kind === 'version') return { member, name: 'version', flag: VERSION }
  if (field.kind === 'payment')
    return { member, name: 'payment', flag: readable(field, schema, helpOf(row, member)) }
  const name = ('flag' in field && field.flag) || member
  return { member, name, flag: readable(field, schema, helpOf(row, member)) }
}

const helpOf = (row: AnyRow, member: string): string => needed(`${formOf(row)}.${member}`)

/** The flag accepts what the form accepts. What the database is needed for is checked then. */
function readable(field: FlagField, schema: Schema, help: string): Flag<unknown> {
  const flag = flagOfKind(field, help)
  if (field.kind === 'amount' || field.kind === 'payment') return flag
  return {
    ...flag,
    read(texts) {
      const read = flag.read(texts)
      const value = typeof read === 'string' ? read.trim() : read
      const [issue] = schema.safeParse(value).error?.issues ?? []
      if (issue) throw new AppError('validation_failed', { message: issue.message })
      return value
    },
  }
}

type FlagField = Exclude<Field, { kind: 'seen' | 'shop' | 'account' | 'secret' | 'version' }>

function flagOfKind(field: FlagField, help: string): Flag<unknown> {
  switch (field.kind) {
    case 'choice':
      return required(field.placeholder, help)
    case 'amount':
      return (field.isOptional ? optional : required)(field.placeholder, help)
    case 'payment':
      return (field.byNumber ? optional : required)('ID', help)
    case 'text':
    case 'url':
      return (field.isOptional ? optional : required)(field.placeholder, help)
    case 'lines':
      return repeatable(field.placeholder, help)
    case 'tick':
      return toggle(help)
    case 'one of': {
      if (field.isNeeded) return requiredChoice(field.placeholder, help, field.values)
      const flag = optionalChoice(field.placeholder, help, field.values)
      return { ...flag, read: (texts) => flag.read(texts) ?? field.preset }
    }
    case 'several of':
      return severalChoices(field.placeholder, help, field.values)
    case 'limits':
      return refundLimit(help)
  }
}

/** Returns the commands of a noun. A second form of an act has none of its own. */
export const commandsOf = (noun: string): Verb[] =>
  ACT_ROWS.filter((row) => nounOf(row) === noun && row.form === undefined).map(commandOf)

function commandOf(row: AnyRow): Verb {
  const key = formOf(row)
  keyOf(`${key}.done`)
  const members = Object.entries(row.input).flatMap(([member, schema]) => flagOf(row, member, schema) ?? [])
  const byNumber = Object.values(row.input).some((schema) => isByNumber(fieldOf(schema)))
  const [first, ...others] = members.map(({ name, flag }) => [name, flag] as const)
  const number = byNumber ? ([[NUMBER, optional('NUMBER', needed(`${key}.number`))]] as const) : []
  const flags: Record<string, Flag<unknown>> = Object.fromEntries([
    ...(first ? [first] : []),
    ...number,
    ...others,
  ])
  return verb({
    name: row.name.replace(/^\S+ /, ''),
    needs: keyRoleFor(row.name),
    summary: needed(key),
    ...(row.onEmpty && { onEmpty: row.onEmpty }),
    flags: row.asksOthers ? flags : { ...flags, dryRun: DRY_RUN },
    examples: [...row.helpExamples],
    async run(ctx, values, { person }) {
      const all: Values = values
      const given: Values = Object.fromEntries(
        members.map(({ member, name }) => [member, all[name]]).filter(([, value]) => value !== undefined),
      )
      await readRest(ctx, row, given, all)
      const wrong = row.wrong?.(given)
      if (wrong) throw new AppError('validation_failed', { message: needed(`${key}.${wrong}.wrong`) })
      if (values.dryRun === true)
        return rehearsalOutcome(row, given, await rehearseAct(ctx, person, row, given))
      const outcome = await doAct(ctx, person, row, given)
      const lines = shownLines(outcome.shown)
      if ('proposed' in outcome) return proposedOutcome(outcome.proposed, outcome.handover)
      const json = { ...outcome.result.shownOnce, ...outcome.result.facts }
      const texts = textsOf({ ...given, ...json, ...outcome.result.said })
      const { what, id } = row.describes ?? {}
      const whole = what && id && (await DESCRIBE[what](ctx, id(given)))
      return {
        json: { ...whole?.json, ...json },
        text: paragraphs(
          sayAny('en', keyOf(`${key}.done`), texts),
          whole ? whole.text : pairs([...resultLines(json), ...lines]),
          textOf(`${key}.next`) && sayAny('en', `cli.${key}.next`, texts),
        ),
      }
    },
  })
}

const DESCRIBE = {
  payment: describe,
  operation: describeOperation,
  async account(ctx: Context, id: string) {
    const view = await getAccountView(ctx, id)
    return { json: view, text: show(view) }
  },
}

const isByNumber = (field: Field) => field.kind === 'payment' && field.byNumber

/** Reads what the database is needed for: a payment by its number, and an amount in its currency. */
async function readRest(ctx: Context, row: AnyRow, given: Values, { number }: Values): Promise<void> {
  const fields = Object.entries(row.input).map(([member, schema]) => [member, fieldOf(schema)] as const)
  for (const [member, field] of fields)
    if (isByNumber(field)) given[member] = await namedPayment(ctx, given[member], number)
  for (const [member, { kind }] of fields) {
    const text = given[member]
    if (kind === 'amount' && typeof text === 'string' && row.currency)
      given[member] = parseTypedAmount(text, await row.currency(ctx, given))
  }
}

/** @throws AppError validation_failed, payment_not_found */
async function namedPayment(ctx: Context, id: unknown, number: unknown): Promise<unknown> {
  if ((id === undefined) === (number === undefined))
    throw new AppError('validation_failed', { message: 'Name the payment by --payment or by --number.' })
  return id ?? findByNumber(ctx, String(number))
}

type Line = [label: string, text: string]

const shownLines = (shown: readonly Fact[]): Line[] =>
  factLines('en', shown).map((line) => [line.label, lineText('en', line)])

/** The facts that have a label in the catalogue. Programs read the others. */
const resultLines = (facts: Result['facts']): Line[] =>
  Object.entries(facts).flatMap(([name, value]) => {
    const label = textOf(`facts.${name}`)
    return label === undefined || value === null || value === undefined ? [] : [[label, valueText(value)]]
  })

const valueText = (value: unknown): string => {
  if (value instanceof Date) return moment(value)
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}

/** The facts that are false where the act was done before, and does nothing. The text `NAME.done` says so. */
const NEWLY_DONE = ['created', 'confirmed', 'noted']

function rehearsalOutcome(
  row: AnyRow,
  given: Values,
  { facts, said, shown, needsSecond, about }: Awaited<ReturnType<typeof rehearseAct>>,
): Outcome {
  const wasDone = NEWLY_DONE.some((name) => facts[name] === false)
  return {
    json: {
      dryRun: true,
      ...(needsSecond !== null && { needsSecondPerson: needsSecond }),
      ...(needsSecond && { proposed: true, about }),
      ...facts,
    },
    text: paragraphs(
      NOTHING_CHANGED,
      wasDone && sayAny('en', keyOf(`${formOf(row)}.done`), textsOf({ ...given, ...facts, ...said })),
      pairs(shownLines(shown)),
      needsSecond === true && 'A second person must agree first.',
    ),
  }
}
