--
-- PostgreSQL database dump
--

SET statement_timeout = 0;
COPY public.clicks (user_id, item_id, at) FROM stdin;
1	2	2024-01-02
\.
