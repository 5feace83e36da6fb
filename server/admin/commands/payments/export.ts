/** `payment export`: payments and refunds as a file for a spreadsheet. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../../errors.ts'
import { csvLines } from '../../../operator/export/csv.ts'
import { EXPORT_COLUMNS, exportPayments } from '../../../operator/export/payments.ts'
import { verb } from '../../command.ts'
import { optionalChoice, required } from '../../flag.ts'
import { counted } from '../../layout.ts'
import { ZONE } from '../../zone-flag.ts'
import { FILTER_FLAGS, filterOf } from './filter.ts'

const NUMBERS = ['asked', 'amount'] as const

export const exportVerb = verb({
  name: 'export',
  needs: 'viewer',
  summary: 'Write payments and refunds into a file for a spreadsheet',
  flags: {
    to: required('FILE', 'the file, which must not exist'),
    format: optionalChoice('FORMAT', 'the format of the file', ['csv'] as const),
    zone: ZONE,
    ...FILTER_FLAGS,
  },
  examples: ['--to payments.csv --since 30d', '--to july.csv --since 2026-07-01 --until 2026-08-01'],
  async run(ctx, { to, zone, format: _format, ...given }) {
    const filter = filterOf(ctx, given)
    let lines = 0
    async function* text() {
      // The mark tells spreadsheets that the file is UTF-8.
      yield `\ufeff${csvLines([header], EXPORT_COLUMNS, [])}`
      for await (const page of exportPayments(ctx, filter, zone)) {
        lines += page.length
        yield csvLines(page, EXPORT_COLUMNS, NUMBERS)
      }
    }
    // Others on this machine may not read the buyers' data.
    const file = createWriteStream(to, { flags: 'wx', mode: 0o600 })
    await pipeline(Readable.from(text()), file).catch((error: NodeJS.ErrnoException) => {
      if (!error.syscall) throw error
      throw new AppError('validation_failed', {
        message: `The file ${to} cannot be written (${error.code}). Name one that does not exist, in a folder that does.`,
      })
    })
    return {
      json: { to, lines, zone },
      text: `Wrote ${counted(lines, 'line')} into ${to}. Times are in ${zone}.`,
    }
  },
})

const header = Object.fromEntries(EXPORT_COLUMNS.map((name) => [name, name])) as Record<
  (typeof EXPORT_COLUMNS)[number],
  string
>
