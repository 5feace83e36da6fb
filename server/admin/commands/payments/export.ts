/** `payment export`: payments and refunds as a file for a spreadsheet. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../../../errors.ts'
import { exportFile } from '../../../operator/export/payments.ts'
import { verb } from '../../command.ts'
import { optionalChoice, required } from '../../flag.ts'
import { counted } from '../../layout.ts'
import { ZONE } from '../../zone-flag.ts'
import { FILTER_FLAGS, filterOf } from './filter.ts'

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
      for await (const part of exportFile(ctx, filter, zone)) {
        lines += part.lines
        yield part.text
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
