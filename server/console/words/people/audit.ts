import { family } from '../family.ts'

/** The audit log. */
export const AUDIT_WORDS = family({
  en: {
    auditTitle: 'Audit log',
    auditLead: 'What people and the service changed. Rows are only added: nobody changes or removes one.',
    auditChange: 'a change',
    auditWho: 'Name',
    auditNumber: 'Row',
    auditFrom: 'From',
    auditAbout: 'About',
    auditPayment: 'Payment',
    auditAmount: 'Amount',
    auditCheckpoints: 'Checkpoints',
    auditDigest: 'Digest of the last row',
    auditNone: 'Nothing was recorded here.',
    auditNoneSoFar: 'Nothing was found in the newest rows. Older ones follow.',
    auditVerify: 'Is the log whole?',
    auditVerifyLead:
      'Reads every row and checks that none was changed, removed or added, by the checkpoints too.',
    auditVerifyDo: 'Check the log',
    auditSound:
      '{rows, plural, one {The one row is whole} other {All # rows follow one another}}, and every checkpoint agrees.',
    auditFaulty:
      'The log is not what it was: {count, plural, one {# fault} other {# faults}}. Compare it with a backup before anything else is changed.',
  },
  ru: {
    auditTitle: 'Журнал действий',
    auditLead: 'Что изменили люди и служба. Строки только добавляются: никто не меняет и не удаляет их.',
    auditChange: 'изменение',
    auditWho: 'Имя',
    auditNumber: 'Строка',
    auditFrom: 'Откуда',
    auditAbout: 'О чём',
    auditPayment: 'Платёж',
    auditAmount: 'Сумма',
    auditCheckpoints: 'Контрольные точки',
    auditDigest: 'Хеш последней строки',
    auditNone: 'Здесь ничего не записано.',
    auditNoneSoFar: 'В новых строках ничего не найдено. Дальше идут более старые.',
    auditVerify: 'Цел ли журнал?',
    auditVerifyLead:
      'Читает каждую строку и проверяет, что ни одна не изменена, не удалена и не добавлена, в том числе по контрольным точкам.',
    auditVerifyDo: 'Проверить журнал',
    auditSound: 'Все строки ({rows}) следуют одна за другой, и каждая контрольная точка совпадает.',
    auditFaulty:
      'Журнал изменён, {count, plural, one {# ошибка} few {# ошибки} many {# ошибок} other {# ошибки}}. Сравните его с резервной копией, прежде чем менять что-либо ещё.',
  },
  hy: {
    auditTitle: 'Գործողությունների մատյան',
    auditLead:
      'Ինչ են փոխել մարդիկ և ծառայությունը։ Տողերը միայն ավելանում են. ոչ ոք դրանք չի փոխում և չի ջնջում։',
    auditChange: 'փոփոխություն',
    auditWho: 'Անուն',
    auditNumber: 'Տող',
    auditFrom: 'Որտեղից',
    auditAbout: 'Ինչի մասին',
    auditPayment: 'Վճարում',
    auditAmount: 'Գումար',
    auditCheckpoints: 'Ստուգման կետեր',
    auditDigest: 'Վերջին տողի հեշը',
    auditNone: 'Այստեղ ոչինչ գրանցված չէ։',
    auditNoneSoFar: 'Նոր տողերում ոչինչ չգտնվեց։ Հաջորդում են ավելի հները։',
    auditVerify: 'Մատյանն ամբողջակա՞ն է',
    auditVerifyLead:
      'Կարդում է ամեն տող և ստուգում, որ ոչ մեկը փոխված, ջնջված կամ ավելացված չէ, նաև ըստ ստուգման կետերի։',
    auditVerifyDo: 'Ստուգել մատյանը',
    auditSound: 'Բոլոր տողերը ({rows}) հաջորդում են իրար, և յուրաքանչյուր ստուգման կետ համընկնում է։',
    auditFaulty:
      'Մատյանը փոխված է, սխալներ՝ {count}։ Համեմատեք այն պահուստային պատճենի հետ, մինչև որևէ այլ բան փոխվի։',
  },
})
