import { family } from './family.ts'

/** What needs a second person. */
export const APPROVAL_WORDS = family({
  en: {
    approvalSum: 'Amount',
    approvalInsteadOf: 'before: {before}',
    approvalFactsMoved:
      'What this is about has changed since it was proposed, so it cannot be granted any more. If it is still right, it has to be proposed again.',
    approvalUnreadable:
      'This version cannot read what it does, so nobody can grant it. It has to be proposed again.',
    approvalHasSecret: 'done, its secret was not seen yet',
    approvalSecretWaits:
      'It has made a secret. Only whoever has proposed it sees the secret, once. After a day without a look the secret is deleted and opens nothing.',
    approvalSecretYours:
      'It was granted and done. The secret that it has made is shown to you once. Have the place ready where you store it.',
    approvalSecretShow: 'Show it, this once',
    approvalSecretGone:
      'There is no secret for you here. It was shown already, it is for somebody else, or a day has passed.',
    approvalSecretOnce:
      'It is shown only now, and nobody can read it again. Store it, or pass it on to whoever programs the shop.',
    approvalSecretToken: 'The token',
    approvalSecretEvents: 'The secret that signs events',
    approvalWaitsHere: 'This waits for a second person:',
    approvalsTitle: 'Approvals',
    approvalsNone: 'Nothing waits for a second person.',
    approvalsText: 'One person has proposed each of these. Another one grants or refuses it.',
    approvalsAll: 'Also those that were decided or have expired',
    approvalsOpen: 'Only those that wait',
    approval_open: 'waits',
    approval_granted: 'is being done',
    approval_done: 'done',
    approval_refused: 'refused',
    proposedBy: 'proposed by {name}',
    approvalUntil: 'until {at}',
    approvalSentence: '{name} has proposed: {what}.',
    approvalAbout: 'In detail',
    approvalProposed: 'Proposed',
    approvalExpires: 'Expires',
    approvalPayment: 'The payment now',
    approvalGrant: 'Grant it',
    approvalRefuse: 'Refuse it',
    approvalTakeBack: 'Take it back',
    approvalOwn: 'You have proposed this yourself, so somebody else must grant it.',
    approvalExpired: 'It has expired. Nothing was done. It can be proposed again.',
    approvalMoved:
      'The payment has changed since this was proposed, so it cannot be granted any more. Look at the payment, and propose it again if it is still right.',
    approvalAccountMoved:
      "The shop's account has changed since this was asked for, so it cannot be granted any more. If it is still right, the shop asks for it again.",
    approvalDecided: 'This was decided already.',
    approvalInProgress: 'Somebody has just granted it, and it is being done. Look again in two minutes.',
    approvalFailed:
      'It could not be done as things are now. Nothing was changed. Look at the payment, and at what has happened since.',
    approvalDone_granted: 'Granted, and done.',
    approvalDone_refused: 'Refused. Nothing was changed.',
  },
  ru: {
    approvalSum: 'Сумма',
    approvalInsteadOf: 'было: {before}',
    approvalFactsMoved:
      'То, о чём это, с тех пор изменилось, поэтому согласиться больше нельзя. Если это всё ещё верно, предложите это снова.',
    approvalUnreadable:
      'Эта версия не может прочитать, что оно делает, поэтому согласиться нельзя. Предложите это снова.',
    approvalHasSecret: 'выполнено, секрет ещё не показан',
    approvalSecretWaits:
      'Оно создало секрет. Его один раз увидит только тот, кто предложил это. Через сутки без просмотра секрет удаляется и ничего не открывает.',
    approvalSecretYours:
      'Согласие дано, всё сделано. Созданный секрет будет показан вам один раз. Приготовьте место, где вы его сохраните.',
    approvalSecretShow: 'Показать, один раз',
    approvalSecretGone:
      'Здесь нет секрета для вас. Он уже был показан, предназначен другому, или прошли сутки.',
    approvalSecretOnce:
      'Он показан только сейчас, прочитать его снова нельзя. Сохраните его или передайте тому, кто программирует магазин.',
    approvalSecretToken: 'Токен',
    approvalSecretEvents: 'Секрет, который подписывает события',
    approvalWaitsHere: 'Это ждёт второго человека:',
    approvalsTitle: 'Согласования',
    approvalsNone: 'Ничто не ждёт второго человека.',
    approvalsText: 'Каждое из этого предложил один человек. Другой соглашается или отказывает.',
    approvalsAll: 'Также решённые и просроченные',
    approvalsOpen: 'Только ожидающие',
    approval_open: 'ждёт',
    approval_granted: 'выполняется',
    approval_done: 'выполнено',
    approval_refused: 'отказано',
    proposedBy: 'предложил(а) {name}',
    approvalUntil: 'до {at}',
    approvalSentence: '{name} предлагает: {what}.',
    approvalAbout: 'Подробно',
    approvalProposed: 'Предложено',
    approvalExpires: 'Истекает',
    approvalPayment: 'Платёж сейчас',
    approvalGrant: 'Согласиться',
    approvalRefuse: 'Отказать',
    approvalTakeBack: 'Отозвать',
    approvalOwn: 'Вы предложили это сами, согласиться должен кто-то другой.',
    approvalExpired: 'Срок истёк. Ничего не сделано. Это можно предложить снова.',
    approvalMoved:
      'С тех пор платёж изменился, согласиться уже нельзя. Посмотрите платёж и предложите снова, если это ещё верно.',
    approvalAccountMoved:
      'С тех пор счёт магазина изменился, согласиться уже нельзя. Если это ещё верно, магазин попросит снова.',
    approvalDecided: 'Это уже решено.',
    approvalInProgress: 'Кто-то только что согласился, и это выполняется. Посмотрите через две минуты.',
    approvalFailed:
      'Сейчас это сделать нельзя. Ничего не изменено. Посмотрите платёж и что произошло с тех пор.',
    approvalDone_granted: 'Согласовано и выполнено.',
    approvalDone_refused: 'Отказано. Ничего не изменено.',
  },
  hy: {
    approvalSum: 'Գումար',
    approvalInsteadOf: 'նախկինում՝ {before}',
    approvalFactsMoved:
      'Այն, ինչի մասին է սա, փոխվել է առաջարկելուց հետո, ուստի այլևս հնարավոր չէ համաձայնել։ Եթե դեռ ճիշտ է, պետք է նորից առաջարկել։',
    approvalUnreadable:
      'Այս տարբերակը չի կարող կարդալ, թե ինչ է այն անում, ուստի համաձայնել հնարավոր չէ։ Պետք է նորից առաջարկել։',
    approvalHasSecret: 'արված է, գաղտնիքը դեռ չի երևացել',
    approvalSecretWaits:
      'Այն ստեղծել է գաղտնիք։ Այն մեկ անգամ կտեսնի միայն նա, ով առաջարկել է։ Մեկ օրից, եթե չդիտվի, գաղտնիքը ջնջվում է և ոչինչ չի բացում։',
    approvalSecretYours:
      'Համաձայնությունը տրված է, և արված է։ Ստեղծված գաղտնիքը ձեզ կցուցադրվի մեկ անգամ։ Պատրաստեք տեղը, որտեղ կպահեք այն։',
    approvalSecretShow: 'Ցույց տալ մեկ անգամ',
    approvalSecretGone:
      'Այստեղ ձեզ համար գաղտնիք չկա։ Այն արդեն ցուցադրվել է, ուրիշի համար է, կամ մեկ օր անցել է։',
    approvalSecretOnce:
      'Այն ցուցադրվում է միայն հիմա, և ոչ ոք այն նորից կարդալ չի կարող։ Պահեք այն կամ փոխանցեք նրան, ով ծրագրավորում է խանութը։',
    approvalSecretToken: 'Թոքենը',
    approvalSecretEvents: 'Իրադարձությունները ստորագրող գաղտնիքը',
    approvalWaitsHere: 'Սա սպասում է երկրորդ մարդու՝',
    approvalsTitle: 'Հաստատումներ',
    approvalsNone: 'Ոչինչ երկրորդ մարդու չի սպասում։',
    approvalsText: 'Սրանցից յուրաքանչյուրն առաջարկել է մեկը, իսկ մյուսը համաձայնում է կամ մերժում։',
    approvalsAll: 'Նաև որոշվածներն ու ժամկետանցները',
    approvalsOpen: 'Միայն սպասողները',
    approval_open: 'սպասում է',
    approval_granted: 'կատարվում է',
    approval_done: 'կատարված',
    approval_refused: 'մերժված',
    proposedBy: 'առաջարկել է {name}',
    approvalUntil: 'մինչև {at}',
    approvalSentence: '{name} առաջարկում է՝ {what}։',
    approvalAbout: 'Մանրամասն',
    approvalProposed: 'Առաջարկված',
    approvalExpires: 'Ժամկետը',
    approvalPayment: 'Վճարումը հիմա',
    approvalGrant: 'Համաձայնել',
    approvalRefuse: 'Մերժել',
    approvalTakeBack: 'Հետ վերցնել',
    approvalOwn: 'Դուք ինքներդ եք առաջարկել, ուստի պետք է համաձայնի ուրիշը։',
    approvalExpired: 'Ժամկետն անցել է։ Ոչինչ չի արվել։ Կարելի է նորից առաջարկել։',
    approvalMoved:
      'Դրանից հետո վճարումը փոխվել է, համաձայնել այլևս հնարավոր չէ։ Նայեք վճարումը և նորից առաջարկեք, եթե դա դեռ ճիշտ է։',
    approvalAccountMoved:
      'Խանութի հաշիվն այդ ժամանակից փոխվել է, ուստի այլևս հնարավոր չէ համաձայնել։ Եթե դա դեռ ճիշտ է, խանութը թող նորից խնդրի։',
    approvalDecided: 'Սա արդեն որոշված է։',
    approvalInProgress: 'Մեկը հենց նոր համաձայնել է, և դա կատարվում է։ Նայեք երկու րոպեից։',
    approvalFailed: 'Հիմա դա հնարավոր չէ անել։ Ոչինչ չի փոխվել։ Նայեք վճարումը և թե ինչ է եղել դրանից հետո։',
    approvalDone_granted: 'Հաստատված և կատարված է։',
    approvalDone_refused: 'Մերժված է։ Ոչինչ չի փոխվել։',
  },
})
