/**
 * MongoDB's Stable API V1, as far as the services need it. Clients that declare the API strictly (`apiStrict`) are refused
 * everything that is not here. To use more, look it up in the sources and add it.
 *
 * Sources:
 * - commands: MongoDB Manual, "Stable API Changelog" (all of these are in V1 since MongoDB 5.0; `count` since 5.0.9).
 *   Well known and not in it: distinct, collStats, dbStats, serverStatus, mapReduce, validate, getParameter.
 * - options: the server's IDL (mongodb/mongo: find_command.idl, aggregate_command.idl, write_ops.idl, create_indexes.idl
 *   and their like), those that are marked `stability: stable`. Well known and not in it: find's min, max, returnKey,
 *   showRecordId, tailable, awaitData, noCursorTimeout; an index's sparse, background, storageEngine; aggregate's explain.
 * - stages: those the server registers with `AllowedWithApiStrict::kAlways`. Well known and not in it: $collStats (but
 *   for its `count`), $currentOp, $indexStats, $listLocalSessions, $listSessions, $planCacheStats, $search.
 * - operators: those of the manual's pages "Query and Projection Operators", "Update Operators" and "Aggregation
 *   Operators" of 5.0.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

/** The options of each command, nested ones as `outer.inner`. `genericArguments` has the options of all commands. */
export const stableCommands: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    aggregate: 'pipeline allowDiskUse cursor cursor.batchSize bypassDocumentValidation collation hint let',
    count: 'query limit skip hint collation',
    createIndexes: `indexes commitQuorum indexes.key indexes.name indexes.unique indexes.hidden
      indexes.partialFilterExpression indexes.expireAfterSeconds indexes.collation indexes.wildcardProjection`,
    delete: 'deletes ordered let deletes.q deletes.limit deletes.hint deletes.collation',
    drop: '',
    dropDatabase: '',
    dropIndexes: 'index',
    endSessions: '',
    find: `filter projection sort hint collation skip limit batchSize singleBatch allowDiskUse allowPartialResults
      let`,
    findAndModify: `query sort remove update new fields upsert bypassDocumentValidation collation arrayFilters hint
      let`,
    getMore: 'collection batchSize',
    hello: `helloOk client compression speculativeAuthenticate topologyVersion maxAwaitTimeMS saslSupportedMechs
      loadBalanced backpressure`,
    insert: 'documents ordered bypassDocumentValidation',
    killCursors: 'cursors',
    listCollections: 'filter nameOnly authorizedCollections cursor cursor.batchSize',
    listIndexes: 'cursor cursor.batchSize',
    ping: '',
    update: `updates ordered bypassDocumentValidation let updates.q updates.u updates.multi updates.upsert
      updates.collation updates.arrayFilters updates.hint`,
  }).map(([command, options]) => [command, words(options)]),
);

/** The options that every command may have (generic_argument.idl). They do not say what the command does. */
export const genericArguments = words(`$db lsid txnNumber $clusterTime $readPreference maxTimeMS comment
  apiVersion apiStrict apiDeprecationErrors`);

export const stableStages =
  words(`$addFields $bucket $bucketAuto $count $densify $documents $facet $fill $geoNear
  $graphLookup $group $limit $lookup $match $merge $out $project $redact $replaceRoot $replaceWith $sample $set
  $setWindowFields $skip $sort $sortByCount $unionWith $unset $unwind`);

export const stableOperators = words(`
  $eq $gt $gte $in $lt $lte $ne $nin $and $not $nor $or $exists $type $expr $mod $regex $options $all $elemMatch $size
  $currentDate $inc $min $max $mul $rename $set $setOnInsert $unset
  $addToSet $pop $pull $push $pullAll $each $position $slice $sort $bit
  $abs $add $ceil $divide $floor $multiply $pow $round $sqrt $subtract $trunc $toLong $toInt $toDouble $toDate $toString
  $avg $first $last $sum $cond $ifNull $switch $concat $concatArrays $filter $literal $dateTrunc $dateToString $mergeObjects`);
