/**
 * The acts without a row in the tables of acts and lists, each with the reason. A test checks that every other act has a row, and that
 * each command that changes something is made from its row or is listed here.
 */
import type { Act } from './policy.ts'

const SCREEN = 'It only reads, and its page and its command each show more than one table.'
const PROPOSES =
  'It always waits for a second person, and its page shows what waits, what came of it, and a way to take it back.'
const DATABASE =
  'It works on the database or the files of the host, before there is a service that could do an act.'

export const ACTS_WITHOUT_ROW: Partial<Record<Act, string>> = {
  'payment list':
    'Its days begin at the midnight of each shop, and its command repeats every flag for the next page.',
  'payment history': SCREEN,
  'payment show': SCREEN,
  'payment log': SCREEN,
  'payment export': 'It streams a file.',
  'desk list': 'The command prints for each case the command that decides it. The console has a link there.',
  'reconcile list': SCREEN,
  'setting list': SCREEN,
  'service doctor': 'It must work while nothing else does.',
  'audit verify': 'It reads the checkpoints that somebody kept outside.',
  'desk decide': 'Each decision is an act of its own, whose row is found in case-decision.ts.',
  'account ask': PROPOSES,
  'name ask': PROPOSES,
  'approval secret': 'It is done by one person alone, who has proposed the act.',
  'merchant copy': 'It reads one world and writes the other.',
  'account test': 'With a flag it pays with test money, and then guides a person through the order.',
  'reconcile statement': 'It reads a long file, and asks first what its columns mean if they are unknown.',
  'reconcile format': 'Its values are the columns of a file, which the page shows beside them.',
  'event listen': 'It runs until it is stopped.',
  'clock advance': 'The command accepts any time, and prints what happens until then. The form has a row.',
  'payment index': 'It runs for a long time, and prints its progress.',
  'user recover': 'It needs no key, so no role may do it.',
  'secrets rotate': DATABASE,
  'secrets discard': DATABASE,
  'database move': DATABASE,
  'database reopen': DATABASE,
  'database migrate': DATABASE,
  'backup create': DATABASE,
  'backup verify': DATABASE,
  'backup restore': DATABASE,
  'restore confirm': 'After a restore every key may be on hold until it is confirmed, so it needs no key.',
}
