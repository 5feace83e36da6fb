import { family } from '../family.ts'

/** The people who use the console. */
export const USERS_WORDS = family({
  en: {
    usersTitle: 'People',
    usersWaiting:
      'A backup was restored. These people may not sign in until whoever runs this service has confirmed them: {names}. Tokens that may move money and wait: {waiting}. Tokens that work and that nobody has looked at: {working}.',
    usersLead: 'Everybody who may use the console or the commands.',
    usersRemoved: 'Removed people',
    userAdd: 'Add a person',
    userName: 'Name',
    userNameHint: 'It stands in the audit log, and cannot be changed.',
    userRole: 'Role',
    userShop: 'Shop',
    userShopHint: 'The number of the shop (mer_...). Empty: all shops.',
    userAllShops: 'All shops',
    userLimits: 'Refunds up to',
    userLimitChoice: 'Limit of refunds',
    userLimitChoose: 'Choose',
    userLimitSuggested: 'Suggested: {limits}',
    userLimitOwn: 'As written below',
    userLimitNone: 'No limit',
    userLimitMissing: 'Choose whether this person has a limit of refunds.',
    userLimitsHint: 'One line for each currency, such as 100.00\u00a0USD. Empty: no limit.',
    userLimitsDay: 'Refunds in a day up to',
    userLimitsDayHint:
      'All payments of one day together, in the time zone of the shop. Empty: the limit above holds for the day too.',
    userLimitsWrong: 'Write each limit on a line of its own, such as 100.00\u00a0USD.',
    userAddDo: 'Add, and make the link',
    userSave: 'Save',
    userSaved: 'Saved. It counts from the next click on.',
    userLinkEnded:
      'Saved. The link that went to the earlier address does not work any more: make a new one below.',
    userRemoved: 'Removed. Every session and the key have ended.',
    userNoConsole: 'Uses the commands alone.',
    userHasKey: 'Has a key for the commands.',
    userIsYou: 'This is you.',
    userReset: 'A new link',
    userResetLead:
      'Passkeys, password and codes of {name} are deleted, and every session ends at once. A new link is made.',
    userResetDo: 'Delete, and make a new link',
    userRemove: 'Remove',
    userRemoveLead:
      'All sessions and ways to sign in of {name} end at once, and so does the key. The name stays in the audit log.',
    userRemoveDo: 'Remove {name}',
    userLinkTitle: 'The link for {name}',
    userLinkLead:
      'It is shown only now. Pass it on to {name} in a way that nobody else reads. It works once, for a day.',
    userLinkNone:
      'The console has no address, so there is no link. Set CONSOLE_BASE_URL, then make a new link.',
    userLinkMailed:
      'A mail with a link is on its way to {email}. The link works once, for a day. If it does not arrive, make a new link.',
    userLinkCopy: 'Make a link to pass on instead',
    userProposed: 'Waits for a second person',
    userProposedLead:
      'Nothing was changed yet. While large sums need a second person, so does whoever may move them. Somebody else must grant this within a day.',
    userHalfLead:
      'This is the first half of the link for {name}, and it is shown only now. Pass it on to {name}. Whoever grants it passes on the second half. Together they are the link.',
    userSecondHalf:
      'Done. This is the second half, and it is shown only now. Pass it on to the person it is for, who has the first half from whoever proposed it.',
    userSecondHalfKey: 'The second half of the key:',
    refused_refundLimit:
      'That is above your own limit. Up to {amount} can still go back. For more, ask somebody with a higher limit.',
    refused_tokenAboveOwn:
      'The token may return more than you, so you cannot replace it. If it has leaked, revoke it now, and ask somebody with higher limits for another one.',
    refused_limitAboveOwn:
      'The limits are above your own. Write lower ones, or ask somebody with higher limits.',
    refused_nobodyElse:
      'This needs a second person, and there is nobody else who could grant it. First add another operator or administrator. Nothing was changed.',
    refused_personNamed: 'Somebody has this name already. Write another one.',
    refused_personEmail: 'Another person has this e-mail address.',
    refused_personMerchant:
      'Role and shop do not fit. Shop and cashier need a shop. Operator and administrator are for all shops.',
    refused_lastAdministrator:
      'Then nobody would be administrator and able to run the commands. First add another administrator with a key, or raise one. Nothing was changed.',
  },
  ru: {
    usersTitle: 'Люди',
    usersWaiting:
      'Восстановлена резервная копия. Эти люди не могут войти, пока их не подтвердит тот, кто обслуживает этот сервис: {names}. Токены, которые могут двигать деньги и ждут: {waiting}. Токены, которые работают и ещё не проверены: {working}.',
    usersLead: 'Все, кто может пользоваться консолью или командами.',
    usersRemoved: 'Удалённые',
    userAdd: 'Добавить человека',
    userName: 'Имя',
    userNameHint: 'Оно стоит в журнале действий, изменить его нельзя.',
    userRole: 'Роль',
    userShop: 'Магазин',
    userShopHint: 'Номер магазина (mer_...). Пусто: все магазины.',
    userAllShops: 'Все магазины',
    userLimits: 'Возвраты до',
    userLimitChoice: 'Предел возвратов',
    userLimitChoose: 'Выберите',
    userLimitSuggested: 'Предлагаемый: {limits}',
    userLimitOwn: 'Как написано ниже',
    userLimitNone: 'Без предела',
    userLimitMissing: 'Выберите, есть ли у этого человека предел возвратов.',
    userLimitsHint: 'По строке на валюту, например 100.00\u00a0USD. Пусто: без предела.',
    userLimitsDay: 'Возвраты за день до',
    userLimitsDayHint:
      'Все платежи одного дня вместе, по часовому поясу магазина. Пусто: предел выше действует и на день.',
    userLimitsWrong: 'Напишите каждый предел на своей строке, например 100.00\u00a0USD.',
    userAddDo: 'Добавить и сделать ссылку',
    userSave: 'Сохранить',
    userSaved: 'Сохранено. Действует со следующего нажатия.',
    userLinkEnded: 'Сохранено. Ссылка, ушедшая на прежний адрес, больше не работает: создайте ниже новую.',
    userRemoved: 'Человек удалён. Все сеансы и ключ больше не действуют.',
    userNoConsole: 'Пользуется только командами.',
    userHasKey: 'Имеет ключ для команд.',
    userIsYou: 'Это вы.',
    userReset: 'Новая ссылка',
    userResetLead:
      'Ключи доступа, пароль и коды человека {name} удаляются, все сеансы сразу заканчиваются. Создаётся новая ссылка.',
    userResetDo: 'Удалить и сделать новую ссылку',
    userRemove: 'Удалить',
    userRemoveLead:
      'Все сеансы и способы входа человека {name} сразу перестают действовать, ключ тоже. Имя остаётся в журнале действий.',
    userRemoveDo: 'Удалить: {name}',
    userLinkTitle: 'Ссылка для человека {name}',
    userLinkLead:
      'Она показана только сейчас. Передайте её человеку {name} так, чтобы никто другой не прочёл. Она действует один раз, в течение суток.',
    userLinkNone:
      'У консоли нет адреса, поэтому нет и ссылки. Задайте CONSOLE_BASE_URL и сделайте новую ссылку.',
    userLinkMailed:
      'Письмо со ссылкой отправлено на {email}. Ссылка действует один раз, в течение суток. Если письмо не придёт, сделайте новую ссылку.',
    userLinkCopy: 'Сделать ссылку, чтобы передать самому',
    userProposed: 'Ждёт второго человека',
    userProposedLead:
      'Пока ничего не изменено. Крупные суммы требуют второго человека, и те, кто может их двигать, тоже. Кто-то другой должен согласиться в течение суток.',
    userHalfLead:
      'Это первая половина ссылки для человека {name}, она показана только сейчас. Передайте её человеку {name}. Вторую половину передаст тот, кто согласится. Вместе они и есть ссылка.',
    userSecondHalf:
      'Выполнено. Это вторая половина, она показана только сейчас. Передайте её тому, для кого она: первую половину он получит от того, кто это предложил.',
    userSecondHalfKey: 'Вторая половина ключа:',
    refused_refundLimit:
      'Это выше вашего предела. Вернуть можно ещё до {amount}. Для большей суммы обратитесь к тому, у кого предел выше.',
    refused_tokenAboveOwn:
      'Токен может возвращать больше вас, поэтому заменить его вы не можете. Если он утёк, отзовите его сейчас и попросите новый у того, у кого пределы выше.',
    refused_limitAboveOwn: 'Пределы выше ваших. Напишите ниже, или попросите того, у кого пределы выше.',
    refused_nobodyElse:
      'Для этого нужен второй человек, а согласиться больше некому. Сначала добавьте ещё одного оператора или администратора. Ничего не изменено.',
    refused_personNamed: 'Такое имя уже есть. Напишите другое.',
    refused_personEmail: 'Этот адрес почты уже у другого человека.',
    refused_personMerchant:
      'Роль и магазин не подходят друг другу. Роли «магазин» и «кассир» нужен магазин. Оператор и администратор работают со всеми магазинами.',
    refused_lastAdministrator:
      'Тогда не останется администратора, который может выполнять команды. Сначала добавьте другого администратора с ключом. Ничего не изменено.',
  },
  hy: {
    usersTitle: 'Մարդիկ',
    usersWaiting:
      'Վերականգնվել է պահուստային պատճեն։ Այս մարդիկ չեն կարող մուտք գործել, մինչև նրանց չհաստատի ծառայությունն սպասարկողը՝ {names}։ Թոքեններ, որոնք կարող են գումար տեղափոխել և սպասում են՝ {waiting}։ Թոքեններ, որոնք աշխատում են և դեռ ստուգված չեն՝ {working}։',
    usersLead: 'Բոլորը, ովքեր կարող են օգտվել կառավարման էջից կամ հրամաններից։',
    usersRemoved: 'Հեռացվածներ',
    userAdd: 'Ավելացնել մարդ',
    userName: 'Անուն',
    userNameHint: 'Այն գրվում է գործողությունների մատյանում և չի փոխվում։',
    userRole: 'Դեր',
    userShop: 'Խանութ',
    userShopHint: 'Խանութի համարը (mer_...)։ Դատարկ՝ բոլոր խանութները։',
    userAllShops: 'Բոլոր խանութները',
    userLimits: 'Վերադարձ մինչև',
    userLimitChoice: 'Վերադարձի սահման',
    userLimitChoose: 'Ընտրեք',
    userLimitSuggested: 'Առաջարկվող՝ {limits}',
    userLimitOwn: 'Ինչպես գրված է ներքևում',
    userLimitNone: 'Առանց սահմանի',
    userLimitMissing: 'Ընտրեք՝ արդյոք այս մարդն ունի վերադարձի սահման։',
    userLimitsHint: 'Մեկ տող յուրաքանչյուր արժույթի համար, օրինակ՝ 100.00\u00a0USD։ Դատարկ՝ առանց սահմանի։',
    userLimitsDay: 'Օրական վերադարձ մինչև',
    userLimitsDayHint:
      'Օրվա բոլոր վճարումները՝ խանութի ժամային գոտիով։ Դատարկ՝ վերևի սահմանը գործում է նաև օրվա համար։',
    userLimitsWrong: 'Յուրաքանչյուր սահմանը գրեք առանձին տողում, օրինակ՝ 100.00\u00a0USD։',
    userAddDo: 'Ավելացնել և ստեղծել հղումը',
    userSave: 'Պահպանել',
    userSaved: 'Պահպանված է։ Գործում է հաջորդ սեղմումից։',
    userLinkEnded: 'Պահպանված է։ Նախկին հասցեով ուղարկված հղումն այլևս չի գործում. ներքևում ստեղծեք նորը։',
    userRemoved: 'Հեռացված է։ Բոլոր մուտքերն ու բանալին այլևս չեն գործում։',
    userNoConsole: 'Օգտվում է միայն հրամաններից։',
    userHasKey: 'Ունի հրամանների բանալի։',
    userIsYou: 'Սա դուք եք։',
    userReset: 'Նոր հղում',
    userResetLead:
      '{name}՝ անցաբանալիները, գաղտնաբառն ու կոդերը ջնջվում են, և բոլոր մուտքերն անմիջապես ավարտվում են։ Ստեղծվում է նոր հղում։',
    userResetDo: 'Ջնջել և ստեղծել նոր հղում',
    userRemove: 'Հեռացնել',
    userRemoveLead:
      '{name}՝ բոլոր մուտքերը, մուտքի եղանակներն ու բանալին անմիջապես դադարում են գործել։ Անունը մնում է գործողությունների մատյանում։',
    userRemoveDo: 'Հեռացնել՝ {name}',
    userLinkTitle: 'Հղում՝ {name}',
    userLinkLead:
      'Այն ցույց է տրվում միայն հիմա։ Փոխանցեք այն ({name}) այնպես, որ ուրիշը չկարդա։ Գործում է մեկ անգամ, մեկ օր։',
    userLinkNone:
      'Կառավարման էջը հասցե չունի, ուստի հղում չկա։ Սահմանեք CONSOLE_BASE_URL և ստեղծեք նոր հղում։',
    userLinkMailed:
      'Հղումով նամակն ուղարկված է {email} հասցեին։ Հղումը գործում է մեկ անգամ, մեկ օր։ Եթե նամակը չհասնի, ստեղծեք նոր հղում։',
    userLinkCopy: 'Ստեղծել հղում՝ ինքս փոխանցելու համար',
    userProposed: 'Սպասում է երկրորդ մարդու',
    userProposedLead:
      'Դեռ ոչինչ չի փոխվել։ Մեծ գումարներին երկրորդ մարդ է պետք, և նրանց, ովքեր կարող են դրանք շարժել, նույնպես։ Մեկ ուրիշը պետք է համաձայնի մեկ օրվա ընթացքում։',
    userHalfLead:
      'Սա հղման առաջին կեսն է ({name}) և ցույց է տրվում միայն հիմա։ Փոխանցեք այն նրան ({name})։ Երկրորդ կեսը կփոխանցի նա, ով կհամաձայնի։ Միասին դրանք կազմում են հղումը։',
    userSecondHalf:
      'Կատարված է։ Սա երկրորդ կեսն է և ցույց է տրվում միայն հիմա։ Փոխանցեք այն նրան, ում համար է. առաջին կեսը նա ստանում է առաջարկողից։',
    userSecondHalfKey: 'Բանալու երկրորդ կեսը՝',
    refused_refundLimit:
      'Սա ձեր սահմանից բարձր է։ Դեռ կարելի է վերադարձնել մինչև {amount}։ Ավելիի համար դիմեք նրան, ում սահմանն ավելի բարձր է։',
    refused_tokenAboveOwn:
      'Այս token-ը կարող է ձեզնից ավելի վերադարձնել, ուստի չեք կարող փոխարինել։ Եթե այն արտահոսել է, հիմա հետ կանչեք, և նորը խնդրեք նրանից, ում սահմաններն ավելի բարձր են։',
    refused_limitAboveOwn:
      'Սահմանները ձերից բարձր են։ Գրեք ավելի ցածր, կամ խնդրեք նրան, ում սահմանն ավելի բարձր է։',
    refused_nobodyElse:
      'Սրա համար երկրորդ մարդ է պետք, և ուրիշ ոչ ոք չի կարող համաձայնել։ Նախ ավելացրեք ևս մեկ օպերատոր կամ ադմինիստրատոր։ Ոչինչ չի փոխվել։',
    refused_personNamed: 'Այս անունով մարդ արդեն կա։ Գրեք ուրիշ անուն։',
    refused_personEmail: 'Այս էլ. հասցեն ուրիշ մարդունն է։',
    refused_personMerchant:
      'Դերն ու խանութը չեն համապատասխանում։ «Խանութ» և «գանձապահ» դերերին խանութ է պետք։ Օպերատորն ու ադմինիստրատորը բոլոր խանութների համար են։',
    refused_lastAdministrator:
      'Այդ դեպքում չի մնա ադմինիստրատոր, որը կարող է հրամաններ կատարել։ Նախ ավելացրեք բանալիով մեկ այլ ադմինիստրատոր։ Ոչինչ չի փոխվել։',
  },
})
