/** `user`: the people who operate this deployment, and their personal keys. */
import {
  addOperator,
  changeOperator,
  listPeople,
  type OperatorRecord,
  ROLES,
  removeOperator,
} from '../../../audit/people.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { optionalChoice, required, requiredChoice, toggle } from '../../flag.ts'
import { counted, moment, pairs, paragraphs, table } from '../../layout.ts'

const USER = required('USER', 'the name or the id of the operator')
const KEY_ADVICE =
  'The key is shown only now. Its owner sets KASSA_OPERATOR_KEY to it, or KASSA_OPERATOR_KEY_FILE to a file with it that nobody else can read.'
const ROLE_HELP =
  'a viewer changes nothing, an operator decides about money and settings of merchants, an administrator may do everything'

const add = verb({
  name: 'add',
  needs: 'administrator',
  summary: 'Add an operator; prints the personal key, once',
  flags: { name: required('N', 'the name in the audit log'), role: requiredChoice('R', ROLE_HELP, ROLES) },
  examples: ['--name "Ani Petrosyan" --role administrator', '--name Davit --role viewer'],
  async run(ctx, given) {
    const { operator, key } = await addOperator(ctx, given)
    return {
      json: { user: present(operator), key },
      text: paragraphs('Added the operator.', pairs([...lines(operator), ['Key', key]]), KEY_ADVICE),
    }
  },
})

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the operators, removed ones too',
  flags: {},
  examples: [''],
  async run(ctx) {
    const people = await listPeople(ctx)
    const rows = people.map(({ id, name, role, removedAt }) => [
      ...[id, name, role],
      removedAt ? `removed ${moment(removedAt)}` : 'present',
    ])
    const text =
      people.length > 0
        ? paragraphs(table(['User', 'Name', 'Role', 'State'], rows), counted(people.length, 'operator'))
        : `Nobody was added yet. Commands need no key, and the audit log has the login name. Add the first: ${ADMIN} user add --name N --role administrator`
    return { json: { users: people.map(present) }, text }
  },
})

const set = verb({
  name: 'set',
  needs: 'administrator',
  summary: 'Change the role of an operator, or replace the key',
  flags: {
    user: USER,
    role: optionalChoice('R', ROLE_HELP, ROLES),
    newKey: toggle('print a new key; the old one is refused from now on'),
  },
  examples: ['--user Davit --role operator', '--user Davit --new-key'],
  async run(ctx, { user, role, newKey: isNewKey }) {
    return describeChanged(await changeOperator(ctx, user, { role, isNewKey }))
  },
})

const recover = verb({
  name: 'recover',
  needs: 'host',
  summary: 'Print a new key for an operator who has lost it; needs no key',
  flags: { user: USER },
  examples: ['--user "Ani Petrosyan"'],
  async run(ctx, { user }) {
    return describeChanged(await changeOperator(ctx, user, { role: undefined, isNewKey: true }))
  },
})

function describeChanged({ operator, key }: Awaited<ReturnType<typeof changeOperator>>) {
  return {
    json: { user: present(operator), ...(key && { key }) },
    text: paragraphs(pairs([...lines(operator), ['Key', key]]), key && KEY_ADVICE),
  }
}

const remove = verb({
  name: 'remove',
  needs: 'administrator',
  summary: 'Remove an operator; the key is refused from now on',
  flags: { user: USER },
  examples: ['--user Davit'],
  async run(ctx, { user }) {
    const operator = await removeOperator(ctx, user)
    return {
      json: { user: present(operator) },
      text: paragraphs('Removed the operator. The name stays in the audit log.', pairs(lines(operator))),
    }
  },
})

function lines({ id, name, role }: OperatorRecord): [string, string][] {
  return [
    ['User', id],
    ['Name', name],
    ['Role', role],
  ]
}

function present({ id: userId, name, role, createdAt, removedAt }: OperatorRecord) {
  return { userId, name, role, createdAt, removedAt }
}

export const user: Noun = {
  name: 'user',
  summary: 'Add, list, change and remove the operators of this deployment',
  verbs: [add, list, set, recover, remove],
}
