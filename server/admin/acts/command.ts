/** The command of a row of the table of acts. Its texts stand in `messages/en/cli.json`, by the name of the act. */
import { getAccountView } from '../../accounts/manage.ts'
import { type AnyRow, formOf, nounOf, type Result } from '../../acts/act.ts'
import { doAct, rehearseAct } from '../../acts/do.ts'
import { type Field, fieldOf } from '../../acts/input.ts'
import { LIST_ROWS } from '../../acts/lists/all.ts'
import { keyRoleFor } from '../../acts/policy.ts'
import { ACT_ROWS } from '../../acts/table.ts'
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { translateAny } from '../../messages/translate.ts'
import type { Fact } from '../../operator/approvals/facts.ts'
import { findByNumber } from '../../operator/finding/by-number.ts'
import { factLines, lineText } from '../../pages/approvals/facts.ts'
import { parseTypedAmount } from '../../payments/money.ts'
import { mainWorld } from '../../worlds.ts'
import { ADMIN, type Outcome, type Verb, verb } from '../command.ts'
import { readSettings } from '../commands/accounts/account-settings.ts'
import { show } from '../commands/accounts/account-text.ts'
import { describeOperation } from '../commands/operation.ts'
import { describe } from '../commands/payments/describe.ts'
import { DRY_RUN, NOTHING_CHANGED } from '../dry-run.ts'
import { type Flag, optional, optionalChoice, toggle } from '../flag.ts'
import { readGivenFile } from '../given-file.ts'
import { moment, pairs, paragraphs } from '../layout.ts'
import { proposedOutcome } from '../proposal-text.ts'
import { flagsOf, helpOf, type MemberFlag } from './flags.ts'
import { listCommandOf } from './list-command.ts'
import { LOOKS } from './looks.ts'
import { keyIn, keyOf, needed, textOf } from './texts.ts'

/** What the sentences about an outcome may name. */
const textsOf = (values: object): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])),
  admin: ADMIN,
})

type Values = Record<string, unknown>
/** Instead of the id of a payment. */
const NUMBER = 'number'

/** Returns the commands of a noun. A second form of an act has none of its own. */
export const commandsOf = (noun: string): Verb[] => [
  ...ACT_ROWS.filter((row) => nounOf(row) === noun && row.form === undefined).map(commandOf),
  ...LIST_ROWS.filter((row) => nounOf(row) === noun).map(listCommandOf),
]

function commandOf(row: AnyRow): Verb {
  const key = formOf(row)
  keyOf(`${key}.done`)
  const members = flagsOf(row, row.input)
  const flags = allFlags(row, members)
  return verb({
    name: row.name.replace(/^\S+ /, ''),
    needs: keyRoleFor(row.name),
    ...(row.reads && { reads: row.reads }),
    summary: needed(key),
    ...(row.onEmpty && { onEmpty: row.onEmpty }),
    flags: row.asksOthers ? flags : { ...flags, dryRun: DRY_RUN },
    examples: [...row.helpExamples],
    async run(worldCtx, values, { person, worlds }) {
      const ctx = row.everyWorld ? mainWorld(worlds) : worldCtx
      const all: Values = values
      const given: Values = Object.fromEntries(
        members.map(({ member, name }) => [member, all[name]]).filter(([, value]) => value !== undefined),
      )
      await readRest(ctx, row, given, all)
      const wrong = row.wrong?.(given)
      if (wrong) throw refusedAt(row, wrong)
      if (values.dryRun === true)
        return rehearsalOutcome(row, given, await rehearseAct(ctx, person, row, given))
      const outcome = await doAct(ctx, person, row, given)
      const lines = shownLines(outcome.shown)
      if ('proposed' in outcome) return proposedOutcome(outcome.proposed, outcome.handover)
      const json = { ...outcome.result.shownOnce, ...outcome.result.facts }
      const texts = textsOf({ ...given, ...json, ...outcome.result.textValues })
      const { what, id } = row.describes ?? {}
      const whole = what && id && (await DESCRIBE[what](ctx, id(given, json)))
      return {
        json: { ...whole?.json, ...json },
        ...(outcome.result.problem && { problem: outcome.result.problem }),
        text: paragraphs(
          translateAny('en', keyOf(`${key}.done`), texts),
          whole
            ? whole.text
            : pairs([...resultLines(row, { ...json, ...outcome.result.textValues }), ...lines]),
          LOOKS[row.name]?.(json),
          textOf(keyIn(row, 'next')) && translateAny('en', `cli.${keyIn(row, 'next')}`, texts),
        ),
      }
    },
  })
}

/** Those of the members, and those that stand beside a member. */
function allFlags(row: AnyRow, members: readonly MemberFlag[]): Record<string, Flag<unknown>> {
  const byNumber = Object.values(row.input).some((schema) => isByNumber(fieldOf(schema)))
  const [first, ...others] = members.map(({ name, flag }) => [name, flag] as const)
  const number = byNumber ? ([[NUMBER, optional('NUMBER', needed(`${formOf(row)}.number`))]] as const) : []
  return Object.fromEntries([
    ...(first ? [first] : []),
    ...number,
    ...others,
    ...ownSettings(row).map(({ flag, placeholder, values }) => [
      flag,
      optionalChoice(placeholder, helpOf(row, flag), values),
    ]),
    ...noneFlags(row).map((flag) => [flag, toggle(helpOf(row, flag))]),
  ])
}

const DESCRIBE = {
  payment: describe,
  operation: describeOperation,
  async account(ctx: Context, id: string) {
    const view = await getAccountView(ctx, id)
    return { json: view, text: show(view) }
  },
}

/** Settings that have a flag of their own. */
const ownSettings = ({ input }: AnyRow) =>
  Object.values(input).flatMap((schema) => {
    const field = fieldOf(schema)
    return field.kind === 'settings' && field.own ? [field.own] : []
  })

/** Flags for no amount, and for none of several lines. */
const noneFlags = ({ input }: AnyRow): string[] =>
  Object.values(input).flatMap((schema) => {
    const field = fieldOf(schema)
    return 'none' in field ? (field.none ?? []) : []
  })

const isByNumber = (field: Field) => field.kind === 'payment' && field.byNumber

/** Reads what the database or a file is needed for: a payment by its number, an amount in its currency, and settings. */
async function readRest(ctx: Context, row: AnyRow, given: Values, values: Values): Promise<void> {
  const fields = Object.entries(row.input).map(([member, schema]) => [member, fieldOf(schema)] as const)
  for (const [member, field] of fields)
    if (isByNumber(field)) given[member] = await namedPayment(ctx, given[member], values.number)
  for (const [member, field] of fields) {
    const { kind } = field
    const text = given[member]
    if (kind === 'settings') {
      const own = ownSettings(row).map(({ flag, setting }) => [setting, values[flag]] as const)
      const chosen = own.filter(([, value]) => value !== undefined)
      given[member] = { ...(await readSettings([text].flat().map(String))), ...Object.fromEntries(chosen) }
    }
    if (kind === 'lines' && field.none !== undefined) {
      const isEmpty = Array.isArray(text) && text.length === 0
      if (values[field.none] === true && !isEmpty) throw refusedAt(row, member)
      if (isEmpty && values[field.none] !== true) delete given[member]
    }
    if (kind === 'file' && typeof text === 'string') given[member] = await readGivenFile(text)
    if (kind === 'amounts' && Array.isArray(text)) {
      const currency = given[field.currencyOf] as CurrencyCode
      if (text.length === 0) delete given[member]
      else given[member] = text.map((each) => parseTypedAmount(each, currency))
    }
    if (kind === 'past' && typeof text === 'function') given[member] = text(ctx.clock.now())
    if (kind !== 'amount') continue
    const isNone = field.none !== undefined && values[field.none] === true
    if (field.none !== undefined && isNone === (text !== undefined)) throw refusedAt(row, member)
    const currency = field.currencyOf
      ? (given[field.currencyOf] as CurrencyCode)
      : await row.currency?.(ctx, given)
    if (isNone) given[member] = null
    else if (typeof text === 'string' && currency) given[member] = parseTypedAmount(text, currency)
  }
}

const refusedAt = (row: AnyRow, member: string) =>
  new AppError('validation_failed', { message: needed(`${formOf(row)}.${member}.wrong`) })

/** @throws AppError validation_failed, payment_not_found */
async function namedPayment(ctx: Context, id: unknown, number: unknown): Promise<unknown> {
  if ((id === undefined) === (number === undefined))
    throw new AppError('validation_failed', { message: 'Name the payment by --payment or by --number.' })
  return id ?? findByNumber(ctx, String(number))
}

type Line = [label: string, text: string]

const shownLines = (shown: readonly Fact[]): Line[] =>
  factLines('en', shown).map((line) => [line.label, lineText('en', line)])

/** The facts that have a label in the catalogue. Programs read the others. Of several counts those above zero are shown. */
const resultLines = (row: AnyRow, facts: Result['facts']): Line[] =>
  Object.entries(facts).flatMap(([name, value]) => {
    if (name === 'blanked') return countLines(value as Record<string, number>)
    const label = textOf(`${nounOf(row)}.facts.${name}`) ?? textOf(`facts.${name}`)
    return label === undefined || value === null || value === undefined ? [] : [[label, valueText(value)]]
  })

const countLines = (counts: Record<string, number>): Line[] =>
  Object.entries(counts).flatMap(([name, count]) =>
    count > 0 ? [[textOf(`blanked.${name}`) ?? name, String(count)]] : [],
  )

const valueText = (value: unknown): string => {
  if (value instanceof Date) return moment(value)
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}

/** The facts that are false where the act was done before, and does nothing. The text `NAME.done` says so. */
const NEWLY_DONE = ['created', 'confirmed', 'noted']

function rehearsalOutcome(
  row: AnyRow,
  given: Values,
  { facts, textValues, shown, needsSecond, about }: Awaited<ReturnType<typeof rehearseAct>>,
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
      wasDone &&
        translateAny('en', keyOf(`${formOf(row)}.done`), textsOf({ ...given, ...facts, ...textValues })),
      pairs(shownLines(shown)),
      needsSecond === true && 'A second person must agree first.',
    ),
  }
}
