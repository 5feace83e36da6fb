/** The command of a row of the table of lists. */
import { formOf } from '../../acts/act.ts'
import type { AnyList, Cell } from '../../acts/list.ts'
import { keyRoleFor } from '../../acts/policy.ts'
import { systemClock } from '../../context.ts'
import { translateAny } from '../../messages/translate.ts'
import { ADMIN, type Verb, verb } from '../command.ts'
import { count, type Flag, pageFlags, pageSize } from '../flag.ts'
import { amount, counted, listText, moment, pageEnd } from '../layout.ts'
import { flagsOf } from './flags.ts'
import { LIST_LOOKS } from './looks.ts'
import { keyOf, needed, textOf } from './texts.ts'

/** The flags that say which part of a list is shown. */
function cutFlags({ cut, counts: [one, several], lines }: AnyList): Record<string, Flag<unknown>> {
  if (cut === 'pages') return pageFlags(one)
  if (cut === 'whole') return {}
  return { limit: lines ? count('N', `the number of ${several}, the newest ones`, lines) : pageSize(one) }
}

export function listCommandOf(row: AnyList): Verb {
  const key = formOf(row)
  const [one, several] = row.counts
  const members = flagsOf(row, row.filters)
  const columns = Object.entries(row.columns)
  const heads = columns.map(([name]) => textOf(`${key}.columns.${name}`) ?? needed(`columns.${name}`))
  const none = keyOf(`${key}.none`)
  return verb({
    name: row.name.replace(/^\S+ /, ''),
    needs: keyRoleFor(row.needs),
    reads: true,
    summary: needed(key),
    flags: {
      ...Object.fromEntries(members.map(({ name, flag }) => [name, flag])),
      ...cutFlags(row),
    },
    examples: [...row.helpExamples],
    async run(ctx, values: Record<string, unknown>) {
      const { limit, after } = values
      const now = (row.isRealTime ? systemClock : ctx.clock).now()
      const given = Object.fromEntries(
        members.map(({ member, name }) => [member, valueAt(values[name], now)]),
      )
      const filter = (await row.complete?.(ctx, given)) ?? given
      const { found, next = null } = await row.load(ctx, { ...filter, limit, after })
      const rows = found.map((item) => columns.map(([, cell]) => cellText(cell(item, ctx))))
      const end = row.cut === 'pages' ? pageEnd(next, rows.length, one) : counted(rows.length, one, several)
      const texts = { admin: ADMIN, merchantId: String(filter.merchantId ?? 'ID') }
      return {
        json: {
          [row.items]: found.map((item) => row.present(item, ctx)),
          ...(row.cut === 'pages' && { next }),
          ...row.also?.(filter, ctx),
        },
        text: listText(
          heads,
          rows,
          translateAny('en', none, texts),
          row.hasNote?.(found) && translateAny('en', keyOf(`${key}.note`), texts),
          end,
          ...(LIST_LOOKS[row.name]?.(found) ?? []),
        ),
      }
    },
  })
}

/** A time in the past may be a distance from now. */
const valueAt = (value: unknown, now: Date): unknown => (typeof value === 'function' ? value(now) : value)

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (cell instanceof Date) return moment(cell)
  return typeof cell === 'object' ? amount(cell.amountMinor, cell.currency) : String(cell)
}
