INSERT INTO "counters" ("account_code", "name", "value")
SELECT "account_code", 'membership', max("id") FROM (
	SELECT "account_code", "id" FROM "team_memberships"
	UNION ALL
	SELECT "account_code", "membership_id" FROM "membership_events"
) AS "given" GROUP BY "account_code";--> statement-breakpoint
INSERT INTO "counters" ("account_code", "name", "value")
SELECT "account_code", 'created user', max("id") FROM "users"
WHERE "id" BETWEEN 4503599627370496 AND (SELECT "last_value" FROM "public"."created_user_ids") GROUP BY "account_code";--> statement-breakpoint
ALTER TABLE "team_memberships" ALTER COLUMN "id" DROP IDENTITY;--> statement-breakpoint
DROP SEQUENCE "public"."created_user_ids";