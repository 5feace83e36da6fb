/** `audit`: who did what. */
import { readFile } from 'node:fs/promises'
import { type AuditView, listActs } from '../../../audit/list.ts'
import { parseCheckpoints, type Verified, verifyLog } from '../../../audit/verify.ts'
import { AppError } from '../../../errors.ts'
import { type Noun, type Outcome, verb } from '../../command.ts'
import { count, optional, past, repeatable } from '../../flag.ts'
import { counted, listText, pairs, paragraphs } from '../../layout.ts'

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List what was done, by whom and from where; the newest last',
  flags: {
    since: past('T', 'only what was done since this time'),
    who: optional('NAME', 'only what this operator did; service for the service itself'),
    merchant: optional('ID', 'only what concerns this merchant'),
    payment: optional('ID', 'only what concerns this payment'),
    limit: count('N', 'the number of rows, the newest ones', { max: 10_000, fallback: 50 }),
  },
  examples: ['', '--since 7d --who "Ani Petrosyan"', '--merchant mer_01...', '--payment pay_01...'],
  async run(ctx, { since, who, merchant: merchantId, payment: paymentId, limit }) {
    const rows = await listActs(ctx, { since, who, merchantId, paymentId, limit })
    const text = listText(
      ['No.', 'When', 'Who', 'From', 'What', 'About', 'Change'],
      rows.map(cells),
      'Nothing was recorded.',
      counted(rows.length, 'row'),
    )
    return { json: { rows }, text }
  },
})

function cells({ number, at, who, from, what, world, about, before, after }: AuditView): string[] {
  const where = world ? `${world} ` : ''
  return [String(number), at.slice(0, 19), who, from, what, `${where}${about}`, changeText(before, after)]
}

/** Both sides of each value that changed: `amount_minor 1500 > 1600`. */
function changeText(before: AuditView['before'], after: AuditView['after']): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const text = (value: unknown) => (value === undefined || value === null ? '-' : JSON.stringify(value))
  return [...names].map((name) => `${name} ${text(before?.[name])} > ${text(after?.[name])}`).join(', ')
}

const verify = verb({
  name: 'verify',
  needs: 'operator',
  reads: true,
  summary: 'Check that no row of the log was changed, removed or added',
  flags: {
    checkpoint: repeatable(
      'FILE',
      'a checkpoint that was outside: its file, its mail as text, or a log of the service',
    ),
    key: repeatable('KEY', 'a public key of checkpoints from before SECRETS_KEY was replaced'),
  },
  examples: ['', '--checkpoint kassa-audit-20260802T000000000Z-812.json'],
  async run(ctx, { checkpoint: files, key: keys }) {
    const given = await Promise.all(files.map(readCheckpoints))
    return describeVerified(await verifyLog(ctx, { given: given.flat(), keys }))
  },
})

async function readCheckpoints(file: string) {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new AppError('validation_failed', {
      message: `--checkpoint ${file} cannot be read: ${error.message}`,
    })
  })
  return parseCheckpoints(text, file)
}

function describeVerified(verified: Verified): Outcome {
  const { rows, head, checkpoints, publicKey, faults, gaps } = verified
  const facts = pairs([
    ['Rows', String(rows)],
    ['Last row', head && `${head.seq}, digest ${head.digest}`],
    ['Checkpoints', `${checkpoints}, with those of the database`],
    ['Public key', publicKey],
  ])
  const gapText = gaps.map(({ message }) => message).join('\n')
  const faultText = faults.map(({ message }) => message).join('\n')
  const sound = 'Every row follows the one before, and every checkpoint agrees.'
  const text = paragraphs(faultText || sound, gapText, facts)
  if (faults.length === 0) return { json: { ...verified }, text }
  const message = `The audit log is not what it was: ${counted(faults.length, 'fault')}.`
  const hint = `${message} Compare it with a backup and with older checkpoints before anything else is changed.`
  return { json: { ...verified }, text, problem: { code: 'audit_log_faulty', message, hint } }
}

export const audit: Noun = {
  name: 'audit',
  summary: 'List what was done, and check that nothing of it was changed',
  verbs: [list, verify],
}
