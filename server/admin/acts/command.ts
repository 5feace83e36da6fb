/** The command of a row of the table of acts. Its texts stand in `messages/en/cli.json`, by the name of the act. */
import { type AnyRow, formOf, nounOf, type Result } from '../../acts/act.ts'
import { doAct, previewAct, rehearseAct } from '../../acts/do.ts'
import { type Field, fieldOf, type Schema } from '../../acts/input.ts'
import { keyRoleFor } from '../../acts/policy.ts'
import { ACT_ROWS } from '../../acts/table.ts'
import { AppError } from '../../errors.ts'
import { findMessage, sayAny } from '../../messages/say.ts'
import { factLines, lineText } from '../../pages/approvals/facts.ts'
import { ADMIN, type Outcome, type Verb, verb } from '../command.ts'
import { DRY_RUN, NOTHING_CHANGED } from '../dry-run.ts'
import {
  type Flag,
  MERCHANT,
  optional,
  optionalChoice,
  repeatable,
  required,
  severalChoices,
  toggle,
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

function flagOf(row: AnyRow, member: string, schema: Schema): MemberFlag | null {
  const field = fieldOf(schema)
  if (field.kind === 'seen' || field.kind === 'secret') return null
  if (field.kind === 'shop') return { member, name: 'merchant', flag: MERCHANT }
  const name = ('flag' in field && field.flag) || member
  return { member, name, flag: checked(flagOfKind(field, needed(`${formOf(row)}.${member}`)), schema) }
}

/** The flag accepts what the form accepts. */
function checked(flag: Flag<unknown>, schema: Schema): Flag<unknown> {
  return {
    ...flag,
    read(texts) {
      const value = flag.read(texts)
      const [issue] = schema.safeParse(value).error?.issues ?? []
      if (issue) throw new AppError('validation_failed', { message: issue.message })
      return value
    },
  }
}

function flagOfKind(
  field: Exclude<Field, { kind: 'seen' | 'shop' | 'secret' }>,
  help: string,
): Flag<unknown> {
  switch (field.kind) {
    case 'choice':
      return required(field.placeholder, help)
    case 'text':
    case 'url':
      return (field.isOptional ? optional : required)(field.placeholder, help)
    case 'lines':
      return repeatable(field.placeholder, help)
    case 'tick':
      return toggle(help)
    case 'one of': {
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
  const flags: Record<string, Flag<unknown>> = Object.fromEntries(
    members.map(({ name, flag }) => [name, flag]),
  )
  return verb({
    name: row.name.replace(/^\S+ /, ''),
    needs: keyRoleFor(row.name),
    summary: needed(key),
    flags: { ...flags, dryRun: DRY_RUN },
    examples: [...row.helpExamples],
    async run(ctx, values, { person }) {
      const all: Record<string, unknown> = values
      const given = Object.fromEntries(
        members.map(({ member, name }) => [member, all[name]]).filter(([, value]) => value !== undefined),
      )
      const wrong = row.wrong?.(given)
      if (wrong) throw new AppError('validation_failed', { message: needed(`${key}.${wrong}.wrong`) })
      const facts = await previewAct(ctx, person, row, given)
      const lines = factLines('en', facts).map((line): Line => [line.label, lineText('en', line)])
      if (values.dryRun === true) return rehearsalOutcome(await rehearseAct(ctx, person, row, given), lines)
      const outcome = await doAct(ctx, person, row, given)
      if ('proposed' in outcome) return proposedOutcome(outcome.proposed, outcome.handover)
      const json = { ...outcome.result.shownOnce, ...outcome.result.facts }
      const said = textsOf({ ...given, ...json, ...outcome.result.said })
      return {
        json,
        text: paragraphs(
          sayAny('en', keyOf(`${key}.done`), said),
          pairs([...resultLines(json), ...lines]),
          textOf(`${key}.next`) && sayAny('en', `cli.${key}.next`, said),
        ),
      }
    },
  })
}

type Line = [label: string, text: string]

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

function rehearsalOutcome(
  { facts, needsSecond }: Awaited<ReturnType<typeof rehearseAct>>,
  lines: readonly Line[],
): Outcome {
  return {
    json: { dryRun: true, ...(needsSecond !== null && { needsSecondPerson: needsSecond }), ...facts },
    text: paragraphs(
      NOTHING_CHANGED,
      pairs([...lines]),
      needsSecond === true && 'A second person must agree first.',
    ),
  }
}
